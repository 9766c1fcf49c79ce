import { z } from 'zod'
import type { JobKind } from '../../../contract/generation/requests.ts'
import type { Step } from '../../../contract/generation/results.ts'
import { GenerationError } from '../../failure.ts'
import type { JobRun } from '../../jobs/run.ts'
import type { PictureProvider, PictureRequest } from '../../providers/types.ts'
import { providerOfAnswer } from '../provider-of-answer.ts'
import type { StepNeeds } from '../types.ts'
import { convertPicture } from './convert.ts'

/** A picture that is finished and served. */
const servedSchema = z.object({ url: z.string(), width: z.number(), height: z.number() })
export type ServedPicture = z.infer<typeof servedSchema>

/**
 * Draws one picture, makes of it what was asked for, and keeps it where it is served. Repeated, it gives the same address.
 *
 * @param step that it is a part of, and under which name, the same in every attempt
 * @throws GenerationError
 */
export async function picture<Kind extends JobKind>(
  run: JobRun<Kind>,
  needs: Pick<StepNeeds, 'budget' | 'storage'>,
  asked: { step: Step; name: string; candidates: readonly PictureProvider[]; request: PictureRequest },
): Promise<ServedPicture> {
  const { step, name, request } = asked
  const candidates = able(asked.candidates, request)
  const answer = await run.answer({ step, name }, candidates, (provider, context) =>
    provider.draw(request, context),
  )
  const provider = providerOfAnswer(candidates, answer)
  const kept = await run.keep({ step, name: `${name}-file` }, async () => {
    const context = { idempotencyKey: `${run.id}-${name}-read`, signal: run.signal }
    const { bytes } = await provider.read(answer, context)
    const { budget, storage } = needs
    const made = await convertPicture(bytes, request, { from: provider.name, budget, signal: run.signal })
    const { type, extension, bytes: body, width, height } = made
    const { url } = await storage.keep({ accountId: run.accountId, type, extension, body, served: true })
    return JSON.stringify({ url, width, height })
  })
  if (provider.notice !== null) run.warn({ code: 'picture_notice', message: provider.notice })
  return servedSchema.parse(JSON.parse(kept.toString()))
}

/** Parts of each picture: what the provider answered, and the file that was made of it. */
export const PARTS_OF_PICTURE = 2

/** Those that can do it. @throws GenerationError naming why none can */
function able(candidates: readonly PictureProvider[], request: PictureRequest): readonly PictureProvider[] {
  const found = candidates.filter((provider) => provider.cannot(request) === undefined)
  if (found.length > 0) return found
  const reasons = candidates.map((provider) => `${provider.name}: ${provider.cannot(request)}`)
  throw new GenerationError({
    reason: 'PROVIDER_REJECTED',
    of: 'job',
    message: `No provider can create this picture (${reasons.join('; ') || 'the settings name none'}). Ask for something else, or ask the operator of Galley for another provider.`,
  })
}
