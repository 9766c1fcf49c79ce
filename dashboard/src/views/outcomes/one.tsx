import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import { call, type NotificationInDetail } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { Head } from '../../components/head.tsx'
import { QueryResult } from '../../components/states.tsx'
import { indented } from '../../components/texts.ts'
import { duration, Time } from '../../components/time.tsx'
import { notificationQuery } from '../../data/outcomes.ts'
import { eventInWords, NotificationStatus } from './words.tsx'
import '../../components/rows.css'
import { useChange } from '../../app/use-change.ts'
import { Button } from '../../components/button.tsx'
import { Badge } from '../../components/status.tsx'

/** One notification: its body, and the answer to each attempt. */
export default function OneNotification() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const query = useQuery(notificationQuery(id))
  return <QueryResult query={query}>{(notification) => <Shown notification={notification} />}</QueryResult>
}

function Shown({ notification }: { notification: NotificationInDetail }) {
  const { id, event, status, url, created_at, next_attempt_at, body, tries } = notification
  return (
    <>
      <Head title={eventInWords(event)} actions={<Repeat id={id} />}>
        <NotificationStatus status={status} /> <span dir="ltr">{url.replace(/^mailto:/, '')}</span>
        {' · '}
        <Time at={created_at} />
        {next_attempt_at && (
          <>
            {' · '}
            {__('Next attempt:', 'galley')} <Time at={next_attempt_at} exact />
          </>
        )}
        {' · '}
        <Link to="/outcomes">{__('All notifications', 'galley')}</Link>
      </Head>
      <Attempts tries={tries} />
      {body && (
        <section className="g-card g-section g-sent">
          <h2>{__('What is sent', 'galley')}</h2>
          <pre dir="ltr">{indented(body)}</pre>
        </section>
      )}
    </>
  )
}

function Repeat({ id }: { id: string }) {
  const notice = useNotice()
  const repeat = useChange({
    changes: ['notifications'],
    mutationFn: () => call('repeatNotification', { path: { uuid: id } }),
    onSuccess: () => notice({ text: __('It is sent once more.', 'galley') }),
  })
  if (!useMay('notifications.change')) return null
  return (
    <Button disabled={repeat.isPending} onClick={() => repeat.mutate()}>
      {__('Send again', 'galley')}
    </Button>
  )
}

type Try = NotificationInDetail['tries'][number]

/** The attempts with their answers. */
const Attempts = ({ tries }: { tries: Try[] }) => (
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
