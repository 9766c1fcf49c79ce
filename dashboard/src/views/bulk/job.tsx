import { __, _n } from '@wordpress/i18n'
import type { BulkJob } from '../../api/client.ts'
import { bulkStatuses } from '../../components/bulk/words.ts'
import { withNumber } from '../../components/format.ts'
import { Badge, StateBadge } from '../../components/status.tsx'

/** The state of a job, and whether it is a dry run. */
export const BulkStatus = ({ job: { status, dry_run } }: { job: BulkJob }) => (
  <>
    <StateBadge of={bulkStatuses[status]} />{' '}
    {dry_run && <Badge tone="neutral">{__('Dry run', 'galley')}</Badge>}
  </>
)

/** How many were changed, or would be, and how many were not. */
export const Counts = ({ job: { dry_run, done, skipped, failed } }: { job: BulkJob }) => (
  <ul className="g-counts">
    <li>
      <Badge tone={done > 0 ? 'good' : 'neutral'}>
        {dry_run
          ? // translators: %d: how many deliveries or sites
            withNumber(_n('%d would be changed', '%d would be changed', done, 'galley'), done)
          : // translators: %d: how many deliveries or sites
            withNumber(_n('%d done', '%d done', done, 'galley'), done)}
      </Badge>
    </li>
    {skipped > 0 && (
      <li>
        {/* translators: %d: how many deliveries or sites */}
        <Badge tone="neutral">{withNumber(_n('%d skipped', '%d skipped', skipped, 'galley'), skipped)}</Badge>
      </li>
    )}
    {failed > 0 && (
      <li>
        {/* translators: %d: how many deliveries or sites */}
        <Badge tone="bad">{withNumber(_n('%d refused', '%d refused', failed, 'galley'), failed)}</Badge>
      </li>
    )}
  </ul>
)
