import type { JobKind, Requests } from '../../contract/generation/requests.ts'
import type { Step } from '../../contract/generation/results.ts'
import type { Warning } from '../../errors.ts'
import type { RawAnswer } from '../providers/answer.ts'
import type { CallContext, Provider } from '../providers/types.ts'

/** The part of a step that an answer belongs to. Its name is the same in every attempt: `outline`, `section-3`, `page-2`. */
export interface PartName {
  step: Step
  name: string
}

/**
 * One claim of a job, as the steps see it. All that they do goes through it, so that nothing that was made is made or paid
 * again: a step may be repeated from its beginning at any time.
 */
export interface JobRun<Kind extends JobKind = JobKind> {
  readonly id: string
  readonly accountId: string
  readonly kind: Kind
  readonly request: Requests[Kind]
  /** Aborted when the claim is lost, or the process must end. */
  readonly signal: AbortSignal
  /** Calls to providers that it may have in all. */
  readonly mostCalls: number
  /** Those that are left of them. */
  readonly callsLeft: number
  /** The job is at this step now: what its status says. Nothing where it was there already. */
  enter(step: Step): Promise<void>
  /** So many parts of the step are there, and of so many this is one: shown as `progress`. */
  expect(step: Step, parts: number): Promise<void>
  /**
   * The answer to this part, out of the store, or asked for now: the intent is written, then the request leaves, then what
   * came is stored. The first of `candidates` that is not in trouble is asked; the next one after a failure that happened
   * before anything was made.
   *
   * @param candidates of one tier, the preferred first; never empty
   * @throws GalleyError of `failure.ts`
   */
  answer<Candidate extends Provider>(
    part: PartName,
    candidates: readonly Candidate[],
    call: (provider: Candidate, context: CallContext) => Promise<RawAnswer>,
  ): Promise<RawAnswer>
  /**
   * A part that asks no provider, such as a page that was fetched: out of the store, or made now and stored. It is made again
   * where the process ended meanwhile.
   */
  keep(part: PartName, make: () => Promise<string | Buffer>): Promise<string | Buffer>
  /** Something that a person should know; told with the result. The same code and message count once. */
  warn(warning: Warning): void
}
