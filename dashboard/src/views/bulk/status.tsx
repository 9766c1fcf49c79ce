import { __ } from '@wordpress/i18n'
import type { BulkJob } from '../../api/client.ts'
import { bulkStatuses } from '../../components/bulk/words.ts'
import { Badge } from '../../components/status.tsx'

/** How far it is, and whether it changes anything. */
export const BulkStatus = ({ job: { status, dry_run } }: { job: BulkJob }) => (
  <>
    <Badge tone={bulkStatuses[status].tone}>{bulkStatuses[status].label()}</Badge>{' '}
    {dry_run && <Badge tone="neutral">{__('Dry run', 'galley')}</Badge>}
  </>
)
