import { z } from 'zod'
import { type ImageSize, imageDimensions } from '../../../contract/generation/requests.ts'
import { GalleyError } from '../../../errors.ts'
import { GenerationError, providerFailure } from '../../failure.ts'
import { type ProviderAccess, providerIdentity, providerLabel } from '../access.ts'
import {
  askWithoutUnknown,
  CALL_TIMEOUT_MS,
  failureOfAnswer,
  firstEntries,
  normaliseUsage,
  parseJsonWithFile,
  requestProvider,
  toRawAnswer,
  unreadableAnswer,
} from '../provider-request.ts'
import type { ModelSettings } from '../settings/schema.ts'
import type { CallContext, PictureProvider, PictureRequest, RawAnswer } from '../types.ts'

/** A picture of the largest size in base64, several times over. */
const MAX_BYTES = 28 * 1024 * 1024

const answerSchema = z.object({
  data: firstEntries(1, z.object({ b64_json: z.string().nullish(), url: z.string().nullish() })),
  usage: z.object({ input_tokens: z.unknown(), output_tokens: z.unknown() }).partial().nullish().catch(null),
})

/** A model that makes pictures, behind an endpoint that speaks as OpenAI's `/images/generations`. */
export function openaiPictures(access: ProviderAccess): PictureProvider {
  const { options } = access
  // What an endpoint does not know is found out once a process; the settings can say it.
  const unknown = new Set(optionalMembers.filter((name) => options[name] === false) as string[])
  return {
    ...providerIdentity(access),
    notice: null,
    cannot: ({ background }) =>
      background === 'transparent' && unknown.has('background')
        ? `${providerLabel(access)} does not make transparent backgrounds`
        : undefined,
    draw: (request, context) =>
      askWithoutUnknown(pictureOptions(request, options), unknown, context, async (members, context) => {
        // Without it the picture would be of no use.
        const needed = request.background === 'transparent' ? { background: request.background } : {}
        const question = {
          path: '/images/generations',
          body: { model: access.model, prompt: request.prompt, n: 1, ...members, ...needed },
          maxBytes: MAX_BYTES,
        }
        const answered = await requestProvider(access, question, context)
        const body = answered.body.toString('utf8')
        const read = readAnswer(body)
        if (typeof read === 'string') throw failureOfAnswer(access, body, read)
        const usage = { ...normaliseUsage(read.usage ?? {}), images: 1 }
        return toRawAnswer(access, { body, usage, withoutQuality: unknown.has('quality') })
      }),
    read: (answer, context) => readPicture(access, answer, context),
  }
}

function readAnswer(body: string): z.output<typeof answerSchema> | string {
  const value = parseJsonWithFile(body)
  if (value === undefined)
    return 'it is not JSON, only the beginning of it, or has far more in it than a picture'
  const { data } = answerSchema.safeParse(value)
  const [first] = data?.data ?? []
  return data && (first?.b64_json || first?.url) ? data : 'it has no picture in it'
}

async function readPicture(access: ProviderAccess, { body }: RawAnswer, context: CallContext) {
  const read = readAnswer(body.toString())
  if (typeof read === 'string') throw unreadableAnswer(access, read)
  const [{ b64_json: inline, url } = {}] = read.data
  const encoded = dataUrlContent(inline ?? '') ?? (inline || dataUrlContent(url ?? ''))
  return encoded ? Buffer.from(encoded, 'base64') : fetchPicture(access, url ?? '', context)
}

/** Some give a whole data address where its base64 belongs, or in the place of an address. */
const dataUrlContent = (text: string): string | undefined => /^data:[^,]{0,100};base64,(.+)$/s.exec(text)?.[1]

/** Fetches a picture, without a key, from where the answer says; only the provider's own origin may be private. */
async function fetchPicture(access: ProviderAccess, url: string, { signal }: CallContext): Promise<Buffer> {
  const isOwn = URL.canParse(url) && new URL(url).origin === new URL(access.url).origin
  const guard = isOwn ? access.outbound : access.elsewhere
  try {
    const { status, body } = await guard.request(url, {
      redirects: isOwn ? 'none' : 'follow',
      maxBytes: MAX_BYTES,
      timeoutMs: access.timeoutMs ?? CALL_TIMEOUT_MS,
      signal,
    })
    if (status === 200) return body
    throw pictureNotFetched(access, `its server answered ${status}`)
  } catch (error) {
    if (signal.aborted || error instanceof GenerationError || !(error instanceof GalleyError)) throw error
    if (error.code === 'memory_busy') throw error
    throw pictureNotFetched(access, error.message, error)
  }
}

const pictureNotFetched = (access: ProviderAccess, why: string, cause?: unknown): GenerationError =>
  providerFailure(
    `The picture that ${providerLabel(access)} made could not be fetched from where it says that it is: ${why}.`,
    { made: true, cause },
  )

const defaultSizes = ['1536x1024', '1024x1024', '1024x1536']

const optionalMembers = ['quality', 'background', 'output_format'] as const

/** No `response_format`, which GPT image models refuse: a picture is read as well as its address. */
const pictureOptions = ({ size, quality, background, format }: PictureRequest, options: ModelSettings) => ({
  size: nearestSize(size, options.sizes ?? defaultSizes),
  quality: (options.quality || undefined)?.[quality] ?? quality,
  background,
  output_format: format,
})

/** Of the sizes there are the one whose shape is nearest, and of those the one that loses least. */
function nearestSize(size: ImageSize, sizes: readonly string[]): string {
  const { width, height } = imageDimensions[size]
  const distance = (text: string): number => {
    const [across = 1, down = 1] = text.split('x').map(Number)
    const shape = Math.abs(Math.log(across / down / (width / height)))
    return shape * 1000 + Math.abs(Math.log((across * down) / (width * height)))
  }
  const [first = ''] = [...sizes].sort((a, b) => distance(a) - distance(b))
  return first
}
