import { GenerationError } from '../failure.ts'
import type { RawAnswer } from '../providers/answer.ts'
import type { Provider } from '../providers/types.ts'

/**
 * Who reads this answer: the provider that gave it, which may have been in an earlier attempt.
 *
 * @throws GenerationError where the settings do not name it any more
 */
export function providerOfAnswer<Candidate extends Provider>(
  candidates: readonly Candidate[],
  { provider, model }: Pick<RawAnswer, 'provider' | 'model'>,
): Candidate {
  const named = candidates.filter(({ name }) => name === provider)
  const found = named.find((candidate) => candidate.model === model) ?? named[0]
  if (found !== undefined) return found
  throw new GenerationError({
    reason: 'INVALID_OUTPUT',
    of: 'job',
    message: `The answer of the provider ${provider} (${model}) cannot be read any more: the settings do not name it. Create the job again.`,
  })
}
