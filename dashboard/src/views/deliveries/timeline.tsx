import { __ } from '@wordpress/i18n'
import type { DetailedDelivery, EventWithBody } from '../../api/client.ts'
import { duration, Time } from '../../components/time.tsx'
import { detailInWords, stepInWords } from './step-in-words.ts'
import '../../components/rows.css'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useMay } from '../../app/session-context.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { QueryResult } from '../../components/states.tsx'
import { eventQuery } from '../../data/deliveries.ts'

type Line = DetailedDelivery['timeline'][number]

/** Each step as it happened, and how long after the one before. */
export const Timeline = ({ lines }: { lines: Line[] }) => (
  <section className="g-card g-section">
    <h2>{__('What happened', 'galley')}</h2>
    <ol className="g-timeline">
      {lines.map((line, index) => {
        const { at, step, outcome, detail } = line
        const before = lines[index - 1]
        return (
          <li key={`${at} ${step} ${outcome} ${detail}`}>
            <What line={line} />{' '}
            <span className="g-weak">
              <Time at={at} exact />
              {before && ` · +${duration(Math.max(0, Date.parse(at) - Date.parse(before.at)))}`}
            </span>
            {detail && <p className="g-weak">{detailInWords(detail)}</p>}
          </li>
        )
      })}
    </ol>
  </section>
)

function What({ line: { step, outcome } }: { line: Line }) {
  const said = stepInWords(step, outcome)
  if (said === undefined)
    return (
      <strong>
        {step} {outcome}
      </strong>
    )
  return (
    <>
      {said.while && <span>{said.while}: </span>}
      <strong>{said.what}</strong>
    </>
  )
}

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

/** JSON with a member on each line; other text as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
