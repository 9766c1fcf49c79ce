import { __, sprintf } from '@wordpress/i18n'
import type { BulkJob } from '../../api/client.ts'
import { Badge } from '../../components/status.tsx'
import { Counts } from './counts.tsx'

/** How far it is, as it happens, and why some of it was not done. */
export function Progress({ job }: { job: BulkJob }) {
  const { status, dry_run, matched, done, skipped, failed, reasons, ended_at } = job
  const looked = done + skipped + failed
  return (
    <section className="g-card g-section g-progress">
      <h2>{dry_run ? __('Result of the dry run', 'galley') : __('Result', 'galley')}</h2>
      {ended_at === null && (
        <progress
          aria-label={__('Progress', 'galley')}
          max={Math.max(matched, 1)}
          {...(status !== 'collecting' && { value: looked })}
        />
      )}
      <p aria-live="polite">
        {sprintf(
          // translators: 1: how many have had their turn; 2: how many there are
          __('%1$d of %2$d', 'galley'),
          looked,
          matched,
        )}
      </p>
      <Counts job={job} />
      {dry_run && status === 'done' && (
        <p className="g-weak">
          {done > 0
            ? __('Nothing has been changed yet. What is refused here would be left as it is.', 'galley')
            : __('There is nothing to do it to. Nothing has been changed.', 'galley')}
        </p>
      )}
      {reasons.length > 0 && (
        <ul className="g-reasons">
          {reasons.map(({ outcome, code, message, count }) => (
            <li key={`${outcome} ${code}`}>
              <Badge tone={outcome === 'failed' ? 'bad' : 'neutral'}>{String(count)}</Badge> {message}{' '}
              <span className="g-weak">{code}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
