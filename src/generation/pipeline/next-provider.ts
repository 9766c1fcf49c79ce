import { GenerationError } from '../failure.ts'
import { type PartName, resumableSteps } from '../jobs/job.ts'
import type { JobRun } from '../jobs/job-run.ts'
import { type CallContext, findAnsweringProvider, type Provider, type RawAnswer } from '../providers/types.ts'

/** Asks for the part, or for another named after it; who answered reads the answer. */
export type AskPart<Candidate> = (
  call: (provider: Candidate, context: CallContext) => Promise<RawAnswer>,
  suffix?: string,
) => Promise<{ provider: Candidate; answer: RawAnswer }>

/** Makes a part with one tier's candidates, without those whose answers cannot be used. Each round has parts of its own. */
export async function withNextProvider<Candidate extends Provider, Made>(
  run: Pick<JobRun, 'answer'>,
  { step, name }: PartName,
  candidates: readonly Candidate[],
  make: (ask: AskPart<Candidate>, name: string) => Promise<Made>,
): Promise<Made> {
  let left = candidates
  for (let round = 1; ; round += 1) {
    const part = round === 1 ? name : `${name}-by-${round}`
    const used: Candidate[] = []
    let isAnswered = false
    try {
      return await make(async (call, suffix = '') => {
        const answer = await run.answer({ step, name: `${part}${suffix}` }, left, call)
        isAnswered = true
        const provider = findAnsweringProvider(left, answer)
        used.push(provider)
        return { provider, answer }
      }, part)
    } catch (error) {
      const others = left.filter((one) => !used.includes(one))
      // Whoever answered is not named any more. A text stays as it was; what a document can do without is made again.
      const isGone = isAnswered && used.length === 0 && resumableSteps.includes(step)
      const isLast = others.length === 0 || (others.length === left.length && !isGone)
      if (isLast || !isUnusable(error)) throw error
      left = others
    }
  }
}

/** Nobody is asked for what moderation declined. */
const isUnusable = (error: unknown): boolean =>
  error instanceof GenerationError && (error.of === 'provider' || error.reason === 'INVALID_OUTPUT')
