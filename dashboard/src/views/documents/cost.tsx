import { __, _n, sprintf } from '@wordpress/i18n'
import type { JobInDetail } from '../../api/client.ts'
import { formatNumber, formatter } from '../../components/format.ts'
import { stepInWords } from './words.tsx'

type Sum = Omit<NonNullable<JobInDetail['cost']>, 'by'>

/** What providers have charged so far, for the operator: in all, then by step, provider and model. */
export function Cost({ job: { kind, cost } }: { job: JobInDetail }) {
  if (cost === null || cost.calls === 0) return null
  return (
    <section className="g-card g-section g-costs">
      <h2>{__('What providers charged', 'galley')}</h2>
      <p>
        <strong>{inWords(cost)}</strong>
      </p>
      {cost.unpriced > 0 && (
        <p className="g-weak">
          {sprintf(
            // translators: %s: a number of requests
            _n('%s request has no known price.', '%s requests have no known price.', cost.unpriced, 'galley'),
            formatNumber(cost.unpriced),
          )}
        </p>
      )}
      <ul>
        {cost.by.map((part) => (
          <li key={`${part.step} ${part.provider} ${part.model}`}>
            {stepInWords(kind, part.step)} · <bdi>{`${part.provider}/${part.model}`}</bdi>
            <p className="g-weak">{inWords(part)}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

const money = formatter(
  (locale) => new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 6 }),
)

/** `0.0125 · 4 requests · 12,300 tokens` */
function inWords({ amount, calls, usage }: Sum): string {
  const { input_tokens = 0, output_tokens = 0, images = 0, characters = 0 } = usage
  const tokens = input_tokens + output_tokens
  return [
    amount !== null && money().format(amount),
    // translators: %s: a number, with separators
    sprintf(_n('%s request', '%s requests', calls, 'galley'), formatNumber(calls)),
    // translators: %s: a number, with separators
    tokens > 0 && sprintf(_n('%s token', '%s tokens', tokens, 'galley'), formatNumber(tokens)),
    // translators: %s: a number, with separators
    images > 0 && sprintf(_n('%s picture', '%s pictures', images, 'galley'), formatNumber(images)),
    characters > 0 &&
      // translators: %s: a number, with separators
      sprintf(_n('%s character', '%s characters', characters, 'galley'), formatNumber(characters)),
  ]
    .filter(Boolean)
    .join(' · ')
}
