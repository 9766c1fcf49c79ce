import { setImmediate } from 'node:timers/promises'
import type { JobRun, PartName } from '../../jobs/run.ts'
import type { SpeechProvider } from '../../providers/types.ts'
import { split } from './split.ts'

/** Characters of one request, also where a provider takes more: its answer is samples, 3 kB for each of them. */
const LONGEST = 2_000

/** One request for speech. */
export interface Chunk {
  part: PartName
  text: string
}

/**
 * The requests that a text becomes. They are kept, since what was answered belongs to them: the settings may name another
 * provider, with another limit, when the job goes on.
 */
export async function chunksOf(
  run: JobRun,
  step: PartName['step'],
  { text, language }: { text: string; language: string },
  candidates: readonly SpeechProvider[],
): Promise<Chunk[]> {
  const limit = Math.min(LONGEST, ...candidates.map(({ longestText }) => longestText))
  const kept = await run.keep({ step, name: 'chunks' }, async () => {
    const chunks: string[] = []
    for (const chunk of split(text, limit, language)) {
      if (audible(chunk)) chunks.push(chunk)
      // To cut one takes some 30 ms, where a text is made for that, and others have their turn.
      await setImmediate()
    }
    return JSON.stringify(chunks)
  })
  return (JSON.parse(kept.toString()) as string[]).map((chunk, index) => ({
    part: { step, name: `chunk-${index + 1}` },
    text: chunk.trim(),
  }))
}

/** Whether there is anything to say: of white space and full stops alone, providers make errors or noise. */
const audible = (chunk: string) => /[\p{L}\p{N}\p{S}]/u.test(chunk)
