import type { ImageResult } from '../../../contract/generation/results.ts'
import type { JobRun } from '../../jobs/run.ts'
import type { StepNeeds } from '../types.ts'
import { PARTS_OF_PICTURE, picture } from './picture.ts'
import { promptFor } from './prompt.ts'

/** Does an image job. @throws GenerationError */
export async function makeImage(run: JobRun<'image'>, needs: StepNeeds): Promise<ImageResult> {
  const { prompt, model, style, size, quality, format, background } = run.request
  await run.enter('generating')
  await run.expect('generating', PARTS_OF_PICTURE)
  const request = {
    prompt: promptFor(prompt, { style, size, background }),
    subject: prompt,
    size,
    quality,
    background,
    format,
  }
  const candidates = needs.providers.pictures(model)
  const { url } = await picture(run, needs, {
    step: 'generating',
    name: 'picture',
    candidates,
    request,
  })
  return { url }
}
