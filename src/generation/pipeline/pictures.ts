import { fileTypeFromBuffer } from 'file-type'
import pMap from 'p-map'
import type { Sharp } from 'sharp'
import type { ByteBudget } from '../../bytes/budget.ts'
import {
  type ImageBackground,
  type ImageFormat,
  type ImageQuality,
  type ImageSize,
  type ImageStyle,
  imageDimensions,
} from '../../contract/generation/requests.ts'
import type { FeaturedImage, ImageResult } from '../../contract/generation/results.ts'
import { loadSharp } from '../../lib/sharp.ts'
import { excerpt } from '../../lib/text.ts'
import { type GenerationError, jobFailure } from '../failure.ts'
import { PARTS_PER_PICTURE, type PartName } from '../jobs/job.ts'
import type { JobRun } from '../jobs/job-run.ts'
import type { PictureProvider, PictureRequest } from '../providers/types.ts'
import { withNextProvider } from './next-provider.ts'
import type { StepNeeds } from './types.ts'

/** Pixels of a picture that is opened: half as many again as the largest that providers make (4096 x 4096). */
const MAX_PIXELS = 25_000_000

const BYTES_PER_PIXEL = 4

/** What providers send; whatever else there is, above all SVG with what it can do, is never opened. */
const decodableTypes = new Set(['image/png', 'image/apng', 'image/jpeg', 'image/webp'])

const formats = {
  png: { type: 'image/png', extension: 'png', encode: (image) => image.png() },
  jpeg: { type: 'image/jpeg', extension: 'jpg', encode: (image) => image.jpeg({ quality: 90 }) },
  webp: { type: 'image/webp', extension: 'webp', encode: (image) => image.webp({ quality: 90 }) },
} satisfies Record<ImageFormat, { type: string; extension: string; encode: (image: Sharp) => Sharp }>

/** Crops and converts a provider's picture, without its metadata. @throws GenerationError `INVALID_OUTPUT` */
export async function convertPicture(
  bytes: Buffer,
  asked: Pick<PictureRequest, 'size' | 'format' | 'background'>,
  { from, budget, signal }: { from: string; budget: ByteBudget; signal: AbortSignal },
) {
  const sharp = await loadSharp()
  const found = await fileTypeFromBuffer(bytes)
  if (found === undefined || !decodableTypes.has(found.mime))
    throw unusablePicture(from, `it is ${found?.mime ?? 'of no known type'}, and not a PNG, JPEG or WebP`)
  const open = () => sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', autoOrient: true })
  const { width, height } = await withDecodeErrors(from, () => open().metadata())
  if (width * height > MAX_PIXELS) throw unusablePicture(from, `it has ${width} x ${height} pixels`)

  const share = await budget.files.take(bytes.length + width * height * BYTES_PER_PIXEL, { signal })
  try {
    if (asked.background === 'transparent' && (await withDecodeErrors(from, () => open().stats())).isOpaque)
      throw unusablePicture(from, 'its background is not transparent')
    const { type, extension, encode } = formats[asked.format]
    const dimensions = imageDimensions[asked.size]
    const isFilled = asked.background === 'opaque' || asked.format === 'jpeg'
    const made = await withDecodeErrors(from, () => {
      const image = open().resize({ ...dimensions, fit: 'cover' })
      return encode(isFilled ? image.flatten({ background: '#ffffff' }) : image).toBuffer()
    })
    return { ...dimensions, bytes: made, type, extension }
  } finally {
    share.release()
  }
}

async function withDecodeErrors<Found>(from: string, ask: () => Promise<Found>): Promise<Found> {
  try {
    return await ask()
  } catch (error) {
    throw unusablePicture(from, error instanceof Error ? error.message : String(error), error)
  }
}

const unusablePicture = (from: string, why: string, cause?: unknown): GenerationError =>
  jobFailure(
    'INVALID_OUTPUT',
    `The picture that the provider ${from} made cannot be used: ${why}. Request it again, or ask the operator of Galley for another provider.`,
    { made: true, cause },
  )

const stylePrompts = {
  photograph:
    'A professional photograph: natural light, real materials and textures, a considered depth of field, true colours.',
  illustration:
    'A clean vector-style illustration: flat shapes, crisp edges, a small and harmonious palette.',
  digital_art: 'Vibrant digital artwork: rich colours, dramatic light, fine detail.',
  '3d_render':
    'A 3D render: modelled objects, physically based materials, soft studio light, global illumination.',
  painting:
    'A painting in a traditional manner: visible brushwork, layered pigment, the grain of the canvas.',
  sketch: 'A hand-drawn sketch: pencil or ink lines of varying weight, light hatching, the texture of paper.',
  infographic:
    'The look of an infographic without its words: a clear layout of charts, icons, arrows and areas of colour that shows proportions and order by shape alone.',
  technical_diagram:
    'A technical diagram without labels: precise lines, consistent symbols, parts and their connections shown by arrows and shapes alone, on a plain ground.',
} satisfies Record<ImageStyle, string>

const shapePrompts = {
  landscape: 'Composed for a wide frame of 3:2, the subject well inside its edges.',
  square: 'Composed for a square frame, the subject well inside its edges.',
  portrait: 'Composed for a tall frame of 2:3, the subject well inside its edges.',
  auto: 'Composed for a wide frame of 3:2, the subject well inside its edges.',
} satisfies Record<ImageSize, string>

const backgroundPrompts = {
  auto: '',
  transparent: 'The subject alone, cut out cleanly, on a fully transparent background.',
  opaque: 'The background fills the whole frame.',
} satisfies Record<ImageBackground, string>

/** Models write badly inside pictures, and what they write cannot be translated or read aloud. */
const NO_TEXT =
  'No text anywhere in the picture: no words, letters, numbers, captions, labels, logos, signatures or watermarks.'

const picturePrompt = (
  subject: string,
  { style, size, background }: { style: ImageStyle; size: ImageSize; background: ImageBackground },
): string =>
  [subject.trim(), stylePrompts[style], shapePrompts[size], backgroundPrompts[background], NO_TEXT]
    .filter((line) => line !== '')
    .join('\n\n')

interface WantedPicture extends PartName {
  candidates: readonly PictureProvider[]
  request: PictureRequest
}

/** Makes a picture and stores it where it is served, once for its step and name. @throws GenerationError */
async function makePicture(
  run: JobRun,
  { budget, storage }: Pick<StepNeeds, 'budget' | 'storage'>,
  { candidates, request, ...part }: WantedPicture,
): Promise<Omit<FeaturedImage, 'alt'>> {
  return withNextProvider(run, part, capableProviders(candidates, request), async (ask, name) => {
    const { provider, answer } = await ask((provider, context) => provider.draw(request, context))
    const kept = await run.keep({ step: part.step, name: `${name}-file` }, async () => {
      const context = { idempotencyKey: `${run.id}-${name}-read`, signal: run.signal }
      const bytes = await provider.read(answer, context)
      const made = await convertPicture(bytes, request, { from: provider.name, budget, signal: run.signal })
      const { type, extension, bytes: body, width, height } = made
      const { url } = await storage.keep({ accountId: run.accountId, type, extension, body, served: true })
      return { url, width, height }
    })
    if (provider.notice !== null) run.warn({ code: 'picture_notice', message: provider.notice })
    // Nobody asks for the quality of a document's pictures.
    if (answer.withoutQuality && run.kind === 'image')
      run.warn({
        code: 'quality_ignored',
        message: `"${provider.name}" takes no quality; it drew without the one that was asked for.`,
      })
    return kept
  })
}

function capableProviders(candidates: readonly PictureProvider[], request: PictureRequest) {
  const found = candidates.filter((provider) => provider.cannot(request) === undefined)
  if (found.length > 0) return found
  const reasons = candidates.map((provider) => `${provider.name}: ${provider.cannot(request)}`)
  throw jobFailure(
    'PROVIDER_REJECTED',
    `No provider can create this picture (${reasons.join('; ') || 'the settings name none'}). Ask for something else, or ask the operator of Galley for another provider.`,
  )
}

export interface PlannedPicture {
  /** The same in every attempt: `featured`, `section-2`. */
  name: string
  subject: string
  /** What it shows, for who does not see it. */
  alt: string
}

const MAX_CONCURRENT_PICTURES = 2

/** Characters of an alternative text: what a screen reader reads in one go. */
const MAX_ALT_LENGTH = 250

/** Makes a document's pictures, by name. One that no provider will draw is left out with a warning. */
export async function drawPictures(
  run: JobRun<'document'>,
  needs: StepNeeds,
  wanted: readonly PlannedPicture[],
): Promise<Record<string, FeaturedImage>> {
  await run.enter('images')
  await run.expect('images', wanted.length * PARTS_PER_PICTURE)
  const candidates = needs.providers.pictures(run.request.image.model)
  const drawn = await pMap(
    wanted,
    async ({ name, subject, alt }): Promise<[string, FeaturedImage][]> => {
      const part = { step: 'images', name: `picture-${name}` } as const
      const isFeatured = name === 'featured'
      const what = isFeatured ? 'Its featured image' : 'A picture'
      const request = pictureRequest(subject, isFeatured ? 'high' : 'medium')
      const made = await run.makeOrLeaveOut(part, { code: 'picture_left_out', what }, () =>
        makePicture(run, needs, { ...part, candidates, request }),
      )
      return made ? [[name, { ...made, alt: excerpt(alt.trim(), MAX_ALT_LENGTH) }]] : []
    },
    { concurrency: MAX_CONCURRENT_PICTURES },
  )
  return Object.fromEntries(drawn.flat())
}

/** A document says nothing of how its pictures look: they are what an image job makes by default, smaller to load. */
const pictureRequest = (subject: string, quality: ImageQuality): PictureRequest => {
  const look = { style: 'photograph', size: 'landscape', background: 'auto' } as const
  const { size, background } = look
  return { prompt: picturePrompt(subject, look), subject, size, quality, background, format: 'jpeg' }
}

export async function makeImage(run: JobRun<'image'>, needs: StepNeeds): Promise<ImageResult> {
  const { prompt, model, style, size, quality, format, background } = run.request
  await run.enter('generating')
  await run.expect('generating', PARTS_PER_PICTURE)
  const look = picturePrompt(prompt, { style, size, background })
  const { url } = await makePicture(run, needs, {
    step: 'generating',
    name: 'picture',
    candidates: needs.providers.pictures(model),
    request: { prompt: look, subject: prompt, size, quality, background, format },
  })
  return { url }
}
