import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __, _n } from '@wordpress/i18n'
import type { Notification, Receiver } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { Select } from '../../components/form.tsx'
import { withNumber } from '../../components/format.ts'
import { Row, Rows } from '../../components/rows.tsx'
import { Message } from '../../components/states.tsx'
import { inWords } from '../../components/texts.ts'
import { Time } from '../../components/time.tsx'
import { type NotificationQuery, notificationsQuery } from '../../data/outcomes.ts'
import { eventInWords, NotificationStatus, outcomes, statusesInWords } from './words.tsx'

/** The latest notifications and their results. */
export function Notifications({ receivers }: { receivers: Receiver[] }) {
  const [{ cursor, status = '', event = '', receiver_id = '' }, setSearch] = useAddressSearch()
  const filter = { status: (status || undefined) as NotificationQuery['status'], event, receiver_id }
  const query = useQuery(notificationsQuery({ limit: 20, cursor, ...filter }))
  const names = Object.fromEntries(receivers.map(({ id, name }) => [id, name]))
  const looking = status !== '' || event !== '' || receiver_id !== ''
  const all = { '': __('Any', 'galley') }
  const any = looking || (query.data?.data.length ?? 0) > 0
  return (
    <section className="g-section">
      <h2>{__('Notifications sent', 'galley')}</h2>
      {any && (
        <div className="g-filters">
          <Select
            label={__('Status', 'galley')}
            value={status}
            onChange={(value) => setSearch({ status: value })}
            options={{ ...all, ...statusesInWords() }}
          />
          <Select
            label={__('Events', 'galley')}
            value={event}
            onChange={(value) => setSearch({ event: value })}
            options={{ ...all, ...inWords(outcomes) }}
          />
          <Select
            label={__('Recipient', 'galley')}
            value={receiver_id}
            onChange={(value) => setSearch({ receiver_id: value })}
            options={{ ...all, ...names }}
          />
        </div>
      )}
      <Rows
        query={query}
        label={__('Notifications sent', 'galley')}
        headed
        empty={
          looking ? (
            <Message title={__('Nothing matches', 'galley')} />
          ) : (
            <Message title={__('No notifications yet', 'galley')} />
          )
        }
      >
        {(notification) => (
          <Told notification={notification} receiver={names[notification.receiver_id ?? '']} />
        )}
      </Rows>
    </section>
  )
}

function Told({
  notification: { id, event, status, attempts, url, created_at },
  receiver,
}: {
  notification: Notification
  receiver: string | undefined
}) {
  return (
    <Row
      title={
        <Link to="/outcomes/$id" params={{ id } as never}>
          {eventInWords(event)}
        </Link>
      }
      state={<NotificationStatus status={status} />}
    >
      <p className="g-weak">
        {receiver ?? <span dir="ltr">{url}</span>}
        {' · '}
        <Time at={created_at} />
        {' · '}
        {withNumber(
          // translators: %d: how many times it was tried to tell somebody something
          _n('%d attempt', '%d attempts', attempts, 'galley'),
          attempts,
        )}
      </p>
    </Row>
  )
}
