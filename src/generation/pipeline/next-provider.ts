import { GenerationError } from '../failure.ts'
import type { Provider, RawAnswer } from '../providers/types.ts'

/** Makes a part with one tier's candidates, without those whose answers cannot be used. Each round has parts of its own. */
export async function withNextProvider<Candidate extends Provider, Made>(
  name: string,
  candidates: readonly Candidate[],
  make: (
    name: string,
    candidates: readonly Candidate[],
    answered: (answer: RawAnswer) => RawAnswer,
  ) => Promise<Made>,
): Promise<Made> {
  let left = candidates
  for (let round = 1; ; round += 1) {
    const used: RawAnswer[] = []
    try {
      return await make(round === 1 ? name : `${name}-by-${round}`, left, (answer) => {
        used.push(answer)
        return answer
      })
    } catch (error) {
      const gave = (one: Candidate) => used.some((by) => by.provider === one.name && by.model === one.model)
      const others = left.filter((one) => !gave(one))
      if (!isUnusable(error) || others.length === 0 || others.length === left.length) throw error
      left = others
    }
  }
}

/** Nobody is asked for what moderation declined. */
const isUnusable = (error: unknown): boolean =>
  error instanceof GenerationError && (error.of === 'provider' || error.reason === 'INVALID_OUTPUT')
