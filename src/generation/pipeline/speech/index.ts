import type { AudioResult, DocumentResult } from '../../../contract/generation/results.ts'
import type { JobRun } from '../../jobs/run.ts'
import type { StepNeeds } from '../types.ts'

export { checkNarration } from './afford.ts'

import { narration } from './narration.ts'
import { readAloud } from './speak.ts'

type Needs = Pick<StepNeeds, 'providers'> & { storage: Pick<StepNeeds['storage'], 'keep'> }

/** An audio job: its text, spoken. */
export async function makeAudio(run: JobRun<'audio'>, { providers, storage }: Needs): Promise<AudioResult> {
  await run.enter('generating')
  return readAloud(run, 'generating', storage, providers.speech(run.request.model), run.request)
}

/** The narration of a document: its title and its text, spoken. */
export async function narrate(
  run: JobRun<'document'>,
  { providers, storage }: Needs,
  document: Pick<DocumentResult, 'title' | 'content'>,
): Promise<AudioResult> {
  await run.enter('audio')
  const { audio } = run.request
  const reading = { ...audio, text: narration(document) }
  return readAloud(run, 'audio', storage, providers.speech(audio.model), reading)
}
