import type { GenerationFailureCode } from '../contract/generation/results.ts'
import { type Action, GalleyError } from '../errors.ts'

/**
 * A failed call to a provider. Who is at fault decides what follows:
 *
 * - `provider`: it is away, overloaded or refuses our key. It is paused for all, the next candidate
 * is asked, and the job loses no attempt. `made` says whether it may have made something.
 * - `job`: this request can never be answered: moderation, a refusal, or output that stays
 * unreadable after its repair.
 */
export class GenerationError extends GalleyError {
  readonly reason: GenerationFailureCode
  readonly of: 'provider' | 'job'
  /** Whether something may have been made and charged for without an answer. */
  readonly made: boolean
  /** Whether it is the trouble of one model: others of the same provider may work. */
  readonly ofModel: boolean

  constructor(
    told: { reason: GenerationFailureCode; of: 'provider' | 'job'; message: string } & FailureFacts,
  ) {
    const { reason, of, made = false, ofModel = false, retryAfterMs, action, ...rest } = told
    super({
      code: reason,
      fault: of === 'provider' ? 'galley' : 'delivery',
      action: action ?? (of === 'provider' ? 'retry' : 'permanent'),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...rest,
    })
    this.reason = reason
    this.of = of
    this.made = made
    this.ofModel = ofModel
  }
}

interface FailureFacts {
  made?: boolean
  ofModel?: boolean
  retryAfterMs?: number | undefined
  /** `owner`: only the operator can fix it: key, credit, address. */
  action?: Action
  /** Never a secret. */
  details?: unknown
  cause?: unknown
}

export const jobFailure = (reason: GenerationFailureCode, message: string, facts: FailureFacts = {}) =>
  new GenerationError({ reason, of: 'job', message, ...facts })

/** Of a job that was created when the settings still named a provider for it. */
export const noProviderFailure = (): GenerationError =>
  providerFailure(
    'The settings no longer name a provider for this. Galley’s operator can name one in the file of GALLEY_PROVIDERS, or restore GALLEY_AI_URL and GALLEY_AI_MODEL.',
  )

export const providerFailure = (message: string, facts: FailureFacts = {}): GenerationError =>
  new GenerationError({ reason: 'PROVIDER_UNAVAILABLE', of: 'provider', message, ...facts })
