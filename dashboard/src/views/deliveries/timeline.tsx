import { __, _n, sprintf } from '@wordpress/i18n'
import type { EventWithBody } from '../../api/client.ts'
import { duration, Time } from '../../components/time.tsx'
import { type Attempt, grouped, type Line } from './attempts.ts'
import { detailInWords, stepInWords } from './step-in-words.ts'
import '../../components/rows.css'
import { useQuery } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { useMay } from '../../app/session-context.ts'
import { Button } from '../../components/button.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { withNumber } from '../../components/format.ts'
import { QueryResult } from '../../components/states.tsx'
import { indented } from '../../components/texts.ts'
import { eventQuery } from '../../data/deliveries.ts'

/** Attempts, and what was seen of the post after one, that are not folded. */
const UNFOLDED = 2

/** What happened, the newest first: attempts, and what was seen of the post between them. */
export function Timeline({ lines }: { lines: readonly Line[] }) {
  const groups = grouped(lines).toReversed()
  const earlier = groups.slice(UNFOLDED)
  const attempts = earlier.filter(({ attempt }) => attempt !== undefined).length
  return (
    <section className="g-card g-section">
      <h2>{__('What happened', 'galley')}</h2>
      <Groups groups={groups.slice(0, UNFOLDED)} />
      {earlier.length > 0 && (
        <details>
          <summary>
            {withNumber(
              // translators: %d: how many attempts
              _n('%d earlier attempt', '%d earlier attempts', attempts, 'galley'),
              attempts,
            )}
          </summary>
          <Groups groups={earlier} />
        </details>
      )}
    </section>
  )
}

function Groups({ groups }: { groups: readonly Attempt[] }) {
  return (
    <>
      {groups.map(({ attempt, lines: own }) => (
        <Fragment key={own[0]?.at}>
          <h3>
            {attempt === undefined
              ? __('In WordPress', 'galley')
              : // translators: %d: the number of an attempt
                sprintf(__('Attempt %d', 'galley'), attempt)}{' '}
            <span className="g-weak">{took(own)}</span>
          </h3>
          <ol className="g-timeline" reversed>
            {own.toReversed().map((line) => {
              const { at, step, outcome, detail } = line
              const said = detail && detailInWords(detail)
              return (
                <li key={`${at} ${step} ${outcome} ${detail}`}>
                  <What line={line} />{' '}
                  <span className="g-weak">
                    <Time at={at} />
                    {said && (
                      <>
                        {' · '}
                        <span>{said}</span>
                      </>
                    )}
                  </span>
                </li>
              )
            })}
          </ol>
        </Fragment>
      ))}
    </>
  )
}

/** How long it took from its first line to its last. */
function took(lines: readonly Line[]): string {
  const [first, last] = [lines[0], lines.at(-1)]
  return first && last && first !== last ? `· ${duration(Date.parse(last.at) - Date.parse(first.at))}` : ''
}

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
        <Button onClick={() => setOpen(true)}>{__('Show it', 'galley')}</Button>
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
