import type { GenerationFailureCode } from '../contract/generation/results.ts'
import { type Action, GalleyError } from '../errors.ts'

/**
 * What a call to a provider came to that did not go well; whose failure it is decides what follows:
 *
 * - `provider`: it is away, overloaded, or refuses our key. It is paused for all, the next candidate is asked, and the job
 *   loses no attempt. `made` says whether it may have made something all the same.
 * - `job`: this request will never be answered, by anybody's fault but the provider's: moderation, a refusal, an output
 *   that cannot be read after its repair.
 */
export class GenerationError extends GalleyError {
  readonly reason: GenerationFailureCode
  readonly of: 'provider' | 'job'
  /** Whether something may have been made, and charged for, although no answer came. */
  readonly made: boolean

  constructor(told: {
    reason: GenerationFailureCode
    of: 'provider' | 'job'
    message: string
    made?: boolean
    /** Milliseconds, from the provider's `Retry-After`. */
    retryAfterMs?: number | undefined
    /** `owner`: of the provider, and only who runs Galley can end it: its key, its credit, its address. */
    action?: Action
    /** Never a secret. */
    details?: unknown
    cause?: unknown
  }) {
    const { reason, of, made = false, retryAfterMs, action, ...rest } = told
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
  }
}
