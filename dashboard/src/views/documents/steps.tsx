import { __, sprintf } from '@wordpress/i18n'
import type { JobInDetail } from '../../api/client.ts'
import { duration, Time } from '../../components/time.tsx'
import { partInWords, type Step, stepInWords } from './words.tsx'

type OneStep = JobInDetail['steps'][number]
type State = 'done' | 'current' | 'failed' | 'waiting' | 'left'

/** The steps of a job with their parts. */
export function Steps({ job }: { job: JobInDetail }) {
  const { kind, status, steps, started_at, ended_at } = job
  const current = steps.find(({ step }) => step === status)
  return (
    <section className="g-card g-section">
      <h2>{__('Steps', 'galley')}</h2>
      {/* Announced per step, and not per part. */}
      <p className="hidden-text" role="status">
        {current && stepInWords(kind, current.step)}
      </p>
      <ol className="g-job-steps">
        {steps.map((step) => (
          <li key={step.step} className={stateOf(job, step.step)}>
            <OfStep step={step} state={stateOf(job, step.step)} name={stepInWords(kind, step.step)} />
          </li>
        ))}
      </ol>
      {started_at && ended_at && (
        <p className="g-weak">
          {sprintf(
            // translators: %s: how long something took, such as 2 min 3 s
            __('It took %s.', 'galley'),
            duration(Date.parse(ended_at) - Date.parse(started_at)),
          )}
        </p>
      )}
    </section>
  )
}

/** The state of each step, by the current or failed one: earlier steps are done. */
function stateOf({ status, error, steps, missing }: JobInDetail, step: Step): State {
  if (status === 'completed') return missing.some((one) => one === step) ? 'left' : 'done'
  if (status === 'cancelled')
    return steps.some((one) => one.step === step && one.parts.length > 0) ? 'done' : 'left'
  const at = steps.findIndex((one) => one.step === (error?.step ?? status))
  const place = steps.findIndex((one) => one.step === step)
  if (place === at) return error ? 'failed' : 'current'
  return place < at ? 'done' : 'waiting'
}

const statesInWords = {
  done: () => __('Done', 'galley'),
  current: () => __('Under way', 'galley'),
  failed: () => __('Failed', 'galley'),
  waiting: () => __('Waits', 'galley'),
  left: () => __('Left out', 'galley'),
} satisfies Record<State, () => string>

interface OfStepProps {
  step: OneStep
  state: State
  name: string
}

function OfStep({ step: { of, parts }, state, name }: OfStepProps) {
  // Repeated parts do not exceed the total.
  const done = of === null ? parts.length : Math.min(parts.length, of)
  return (
    <>
      <p className="g-job-step">
        <strong>{name}</strong> <span className="g-weak">{statesInWords[state]()}</span>
        {of !== null && state !== 'done' && (
          <span className="g-job-count">
            {sprintf(
              // translators: 1: parts that are done, 2: all parts of a step
              __('%1$d of %2$d parts', 'galley'),
              done,
              of,
            )}
          </span>
        )}
      </p>
      {state === 'current' && <progress aria-label={name} {...(of !== null && { value: done, max: of })} />}
      {parts.length > 0 && (
        <details>
          <summary>{__('Its parts', 'galley')}</summary>
          <ol>
            {parts.map(({ name: part, at }) => (
              <li key={part}>
                {partInWords(part)}{' '}
                <span className="g-weak">
                  <Time at={at} exact />
                </span>
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  )
}
