import type { DocumentResult } from '../../contract/generation/results.ts'
import type { JobRun } from '../jobs/run.ts'
import { documentOf } from './assemble.ts'
import { drawPictures } from './pictures/index.ts'
import { research } from './research/index.ts'
import { checkNarration, narrate } from './speech/index.ts'
import { writeText } from './text/text.ts'
import type { StepNeeds } from './types.ts'

/**
 * Makes a document: research, text, pictures where they are wanted, narration where it is. Each step says that the job is at
 * it, and may be repeated from its beginning.
 *
 * @throws GenerationError
 */
export async function makeDocument(run: JobRun<'document'>, needs: StepNeeds): Promise<DocumentResult> {
  await run.enter('researching')
  checkNarration(run, needs.providers.speech(run.request.audio.model))
  const found = await research(run, needs)
  const text = await writeText(run, needs, found)
  const pictures = run.request.image.enabled ? await drawPictures(run, needs, text.pictures) : {}
  const document = documentOf(text, pictures)
  if (!run.request.audio.enabled) return document
  return { ...document, audio: await narrate(run, needs, document) }
}
