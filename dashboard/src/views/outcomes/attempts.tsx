import '../../components/rows.css'
import { __, sprintf } from '@wordpress/i18n'
import type { NotificationInDetail } from '../../api/client.ts'
import { Badge } from '../../components/status.tsx'
import { duration, Time } from '../../components/time.tsx'

type Try = NotificationInDetail['tries'][number]

/** Each attempt with what was answered. */
export const Attempts = ({ tries }: { tries: Try[] }) => (
  <section className="g-card g-section" aria-live="polite">
    <h2>{__('Attempts', 'galley')}</h2>
    {tries.length === 0 ? (
      <p className="g-weak">{__('None yet.', 'galley')}</p>
    ) : (
      <ol className="g-timeline">
        {tries.map((one) => (
          <li key={one.at}>
            <Answer of={one} />{' '}
            <span className="g-weak">
              <Time at={one.at} exact />
              {one.took_ms !== null && ` · ${duration(one.took_ms)}`}
              {one.by_hand && ` · ${__('by hand', 'galley')}`}
            </span>
            {one.error && <p>{one.error.message}</p>}
          </li>
        ))}
      </ol>
    )}
  </section>
)

function Answer({ of: { http_status, error } }: { of: Try }) {
  if (http_status !== null)
    return (
      <Badge tone={error === null ? 'good' : 'bad'}>
        {sprintf(
          // translators: %d: a status of HTTP, such as 200
          __('Answered %d', 'galley'),
          http_status,
        )}
      </Badge>
    )
  if (error === null) return <Badge tone="good">{__('Accepted', 'galley')}</Badge>
  return <Badge tone="bad">{__('No answer', 'galley')}</Badge>
}
