import type { JobRun } from '../../jobs/run.ts'
import type { SpeechProvider } from '../../providers/types.ts'
import type { Reading } from './reading.ts'

/** Tells who listens what they hear: a synthesiser, another voice than they asked for, another language, several voices. */
export function tellOfVoices(
  run: JobRun,
  spokenBy: ReadonlySet<SpeechProvider>,
  { voice, language }: Pick<Reading, 'voice' | 'language'>,
): void {
  for (const provider of spokenBy) {
    const used = provider.voice(voice, language)
    if (provider.notice !== null) run.warn({ code: 'speech_notice', message: provider.notice })
    if (!used.exact)
      run.warn({
        code: 'voice_nearest',
        message: `"${provider.name}" does not have the voice ${voice}; it spoke with its nearest, ${used.name}.`,
      })
    if (used.language !== undefined)
      run.warn({
        code: 'language_nearest',
        message: `"${provider.name}" does not know the language "${language}"; it spoke ${used.language}.`,
      })
  }
  if (spokenBy.size > 1)
    run.warn({
      code: 'voices_mixed',
      message: `One provider failed on the way, and another one spoke the rest, so the voice changes: ${[...spokenBy].map(({ name }) => `"${name}"`).join(', ')}.`,
    })
}
