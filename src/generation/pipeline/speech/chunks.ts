import { setImmediate } from 'node:timers/promises'
import { GenerationError } from '../../failure.ts'
import type { JobRun, PartName } from '../../jobs/run.ts'
import type { SpeechProvider } from '../../providers/types.ts'
import { split } from './split.ts'

/** Characters of one request, also where a provider takes more: its answer is samples, 3 kB for each of them. */
const LONGEST = 2_000

/** Characters of one request to this provider at most. */
export const longestChunk = ({ longestText }: SpeechProvider): number => Math.min(LONGEST, longestText)

/** One request for speech. */
export interface Chunk {
  part: PartName
  text: string
}

/**
 * The requests that a text becomes, short enough for all of the candidates, or at least for those that need no more of them
 * than the job may have. They are kept, since what was answered belongs to them: the settings may name another provider,
 * with another limit, when the job goes on.
 *
 * @throws GenerationError where nobody can speak it in so many requests; nothing has been asked for then
 */
export async function chunksOf(
  run: JobRun,
  step: PartName['step'],
  { text, language }: { text: string; language: string },
  candidates: readonly SpeechProvider[],
): Promise<Chunk[]> {
  const kept = await run.keep({ step, name: 'chunks' }, async () => {
    const limits = candidates.map(longestChunk)
    let least = Number.POSITIVE_INFINITY
    for (const limit of [...new Set(limits)].toSorted((one, other) => one - other)) {
      const chunks = await cut(text, limit, language)
      if (chunks.length <= run.callsLeft) return JSON.stringify(chunks)
      least = Math.min(least, chunks.length)
    }
    throw tooManyCalls(least, run.callsLeft)
  })
  return (JSON.parse(kept.toString()) as string[]).map((chunk, index) => ({
    part: { step, name: `chunk-${index + 1}` },
    text: chunk.trim(),
  }))
}

async function cut(text: string, limit: number, language: string): Promise<string[]> {
  const chunks: string[] = []
  for (const chunk of split(text, limit, language)) {
    if (audible(chunk)) chunks.push(chunk)
    // To cut one takes some 30 ms, where a text is made for that, and others have their turn.
    await setImmediate()
  }
  return chunks
}

/** Those of the candidates that take every one of the requests. */
export function speakersOf(
  chunks: readonly Chunk[],
  candidates: readonly SpeechProvider[],
): readonly SpeechProvider[] {
  const longest = chunks.reduce((most, { text }) => Math.max(most, text.length), 0)
  const able = candidates.filter(({ longestText }) => longestText >= longest)
  return able.length > 0 ? able : candidates
}

const tooManyCalls = (needed: number, left: number): GenerationError =>
  new GenerationError({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'job',
    message: `To speak this text takes ${needed} calls to a provider, and the job may have ${left} more (GALLEY_JOB_CALLS), so none was made. Send a shorter text, raise the setting, or name a provider that takes longer texts (longest_text).`,
  })

/** Whether there is anything to say: of white space and full stops alone, providers make errors or noise. */
const audible = (chunk: string) => /[\p{L}\p{N}\p{S}]/u.test(chunk)
