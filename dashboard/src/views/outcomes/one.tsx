import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { call, type NotificationInDetail } from '../../api/client.ts'
import { useNotice } from '../../app/notices.tsx'
import { useMay } from '../../app/session-context.ts'
import { Head } from '../../components/head.tsx'
import { wordsFor } from '../../components/states/failure.tsx'
import { QueryResult } from '../../components/states/query-result.tsx'
import { Time } from '../../components/time.tsx'
import { notificationQuery } from '../../data/outcomes.ts'
import { Attempts } from './attempts.tsx'
import { eventInWords, NotificationStatus } from './words.tsx'

/** One notification: what was sent, and what was answered each time. */
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
      </Head>
      <p className="g-section">
        <Link to="/outcomes">{__('All outcomes', 'galley')}</Link>
        {next_attempt_at && (
          <>
            {' · '}
            {__('Next attempt:', 'galley')} <Time at={next_attempt_at} exact />
          </>
        )}
      </p>
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

/** JSON with a line for each member; whatever else it is, as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function Repeat({ id }: { id: string }) {
  const queryClient = useQueryClient()
  const notice = useNotice()
  const repeat = useMutation({
    mutationFn: () => call('repeatNotification', { path: { uuid: id } }),
    onSuccess: () => notice({ text: __('It is sent once more.', 'galley') }),
    onError: (error) => notice({ text: wordsFor(error).text, tone: 'bad' }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['notifications'] }),
  })
  if (!useMay('notifications.change')) return null
  return (
    <button type="button" className="g-button" disabled={repeat.isPending} onClick={() => repeat.mutate()}>
      {__('Send again', 'galley')}
    </button>
  )
}
