import { __ } from '@wordpress/i18n'
import type { DetailedDelivery } from '../../api/client.ts'
import { duration, Time } from '../../components/time.tsx'
import { detailInWords, stepInWords } from './step-in-words.ts'

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
              {before && ` · +${duration(Date.parse(at) - Date.parse(before.at))}`}
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
