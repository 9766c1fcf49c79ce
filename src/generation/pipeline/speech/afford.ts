import { GenerationError } from '../../failure.ts'
import type { JobRun } from '../../jobs/run.ts'
import type { SpeechProvider } from '../../providers/types.ts'
import { type Unit, unitOf } from '../text/count.ts'
import { shapeOf } from '../text/shape.ts'
import { longestChunk } from './chunks.ts'

/** Characters that a word, or a character, takes at least in a text of some length, and the space behind it. */
const PER_UNIT: Record<Unit, number> = { words: 5, characters: 1 }

/** Languages without spaces between words, in which characters are counted. */
const unspaced = /^(zh|cmn|yue|ja|th|lo|km|my)\b/i

/** A text may be a tenth shorter than what was asked for. */
const SHORTEST = 0.9

/**
 * Refuses a document whose narration surely needs more calls than its job may have, before its text is paid for. Before there
 * is a text the least that it can take is known, and no more; what is closer is found out when it is spoken.
 *
 * @throws GenerationError
 */
export function checkNarration(run: JobRun<'document'>, candidates: readonly SpeechProvider[]): void {
  const { request, mostCalls } = run
  if (!request.audio.enabled || candidates.length === 0) return
  // A prompt in English may ask for a text in Chinese, of which so many characters are far less.
  const unit = unspaced.test(request.audio.language) ? 'characters' : unitOf(request.prompt)
  const characters = request.text.length * PER_UNIT[unit] * SHORTEST
  const spoken = Math.ceil(characters / Math.max(...candidates.map(longestChunk)))
  // The outline and each section.
  const needed = 1 + shapeOf(request, unit).sections + spoken
  if (needed > mostCalls) throw tooManyCalls(needed, mostCalls)
}

const tooManyCalls = (needed: number, most: number): GenerationError =>
  new GenerationError({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'job',
    message: `To write this document and to speak it takes at least ${needed} calls to providers, and a job may have ${most} (GALLEY_JOB_CALLS), so none was made. Ask for a shorter text or for no narration (audio.enabled), raise the setting, or name a provider that takes longer texts (longest_text).`,
  })
