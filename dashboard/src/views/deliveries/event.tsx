import '../../components/rows.css'
import { useQuery } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import type { EventWithBody } from '../../api/client.ts'
import { useMay } from '../../app/session-context.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { QueryResult } from '../../components/states/query-result.tsx'
import { Time } from '../../components/time.tsx'
import { eventQuery } from '../../data/deliveries.ts'

/** Characters of a body that are shown: a page of megabytes is read by nobody. */
const MOST = 100_000

/** The event that brought the document, as it was received. It is asked for when somebody wants to see it. */
export function EventAsReceived({ id }: { id: string }) {
  const [open, setOpen] = useState(false)
  const query = useQuery({ ...eventQuery(id), enabled: open })
  if (!useMay('events.read')) return null
  return (
    <section className="g-card g-section g-sent">
      <h2>{__('The event as received', 'galley')}</h2>
      {open ? (
        <QueryResult query={query}>{(event) => <Shown event={event} />}</QueryResult>
      ) : (
        <button type="button" className="g-button" onClick={() => setOpen(true)}>
          {__('Show it', 'galley')}
        </button>
      )}
    </section>
  )
}

function Shown({
  event: { event, received_at, confirmed_at, body, body_encoding },
}: {
  event: EventWithBody
}) {
  const text = body === null ? undefined : body_encoding === 'utf-8' ? indented(body) : body
  return (
    <>
      <Facts>
        {event && <Fact label={__('Event', 'galley')}>{event}</Fact>}
        <Fact label={__('Received', 'galley')}>
          <Time at={received_at} exact />
        </Fact>
        {confirmed_at && (
          <Fact label={__('Confirmed by the API behind it', 'galley')}>
            <Time at={confirmed_at} exact />
          </Fact>
        )}
      </Facts>
      {text === undefined ? (
        <p className="g-weak">{__('Its body is older than what Galley keeps, and was removed.', 'galley')}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard
        <pre dir="ltr" tabIndex={0}>
          {text.slice(0, MOST)}
          {text.length > MOST && ' …'}
        </pre>
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
