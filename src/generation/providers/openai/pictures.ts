import { z } from 'zod'
import { GalleyError } from '../../../errors.ts'
import { GenerationError } from '../../failure.ts'
import { type Access, called } from '../access.ts'
import type { RawAnswer } from '../answer.ts'
import { exchange, unreadable } from '../exchange.ts'
import { withoutKey } from '../keep-secret.ts'
import { first, parseWithFile } from '../limited-lists.ts'
import { failureInside } from '../refusal-inside.ts'
import type { CallContext, Picture, PictureProvider } from '../types.ts'
import { rawAnswer, usageOf } from '../usage.ts'
import { bearer } from './bearer.ts'
import { pictureOptions } from './picture-options.ts'

const TIMEOUT_MS = 300_000
/** A picture of the largest size in base64, several times over. */
const MAX_BYTES = 28 * 1024 * 1024

const answerSchema = z.object({
  data: first(1, z.object({ b64_json: z.string().nullish(), url: z.string().nullish() })),
  usage: z.object({ input_tokens: z.unknown(), output_tokens: z.unknown() }).partial().nullish().catch(null),
})

/** A model that makes pictures, behind an endpoint that speaks as OpenAI's `/images/generations`. */
export function openaiPictures(access: Access): PictureProvider {
  const { options } = access
  return {
    name: access.name,
    model: access.model,
    concurrency: access.concurrency,
    notice: null,
    cannot: ({ background }) =>
      background === 'transparent' && options.background === false
        ? `${called(access)} does not make transparent backgrounds`
        : undefined,
    async draw(request, context) {
      const question = {
        path: '/images/generations',
        body: JSON.stringify({
          model: access.model,
          prompt: request.prompt,
          n: 1,
          ...pictureOptions(request, options),
          ...options.extra,
        }),
        headers: bearer(access),
        maxBytes: MAX_BYTES,
        timeoutMs: TIMEOUT_MS,
      }
      const answered = await exchange(access, question, context)
      const body = withoutKey(answered.body.toString('utf8'), access)
      const read = readAnswer(body)
      if (typeof read === 'string') throw failureInside(access, body) ?? unreadable(access, read)
      const usage = { ...usageOf(read.usage ?? {}), images: 1 }
      return rawAnswer(access, { body, contentType: 'application/json', usage })
    },
    read: (answer, context) => readPicture(access, answer, context),
  }
}

function readAnswer(body: string): z.output<typeof answerSchema> | string {
  const value = parseWithFile(body)
  if (value === undefined)
    return 'it is not JSON, only the beginning of it, or has far more in it than a picture'
  const { data } = answerSchema.safeParse(value)
  const [first] = data?.data ?? []
  return data && (first?.b64_json || first?.url) ? data : 'it has no picture in it'
}

async function readPicture(access: Access, { body }: RawAnswer, context: CallContext): Promise<Picture> {
  const read = readAnswer(body.toString())
  if (typeof read === 'string') throw unreadable(access, read)
  const [{ b64_json: inline, url } = {}] = read.data
  const encoded = inDataAddress(inline ?? '') ?? (inline || inDataAddress(url ?? ''))
  if (encoded) return { bytes: Buffer.from(encoded, 'base64') }
  return { bytes: await fetchPicture(access, url ?? '', context) }
}

/** Some give a whole data address where its base64 belongs, or in the place of an address. */
const inDataAddress = (text: string): string | undefined => /^data:[^,]{0,100};base64,(.+)$/s.exec(text)?.[1]

/**
 * Fetches a picture from where the answer says that it is. The provider's own origin may be private; any other address is one
 * from outside, whoever names it. No key goes along: such addresses carry their own right to be read.
 */
async function fetchPicture(access: Access, url: string, { signal }: CallContext): Promise<Buffer> {
  const isOwn = URL.canParse(url) && new URL(url).origin === new URL(access.url).origin
  const guard = isOwn ? access.outbound : access.elsewhere
  try {
    const { status, body } = await guard.request(url, {
      redirects: isOwn ? 'none' : 'follow',
      maxBytes: MAX_BYTES,
      timeoutMs: access.timeoutMs ?? TIMEOUT_MS,
      signal,
    })
    if (status === 200) return body
    throw notFetched(access, `its server answered ${status}`)
  } catch (error) {
    if (signal.aborted || error instanceof GenerationError || !(error instanceof GalleyError)) throw error
    if (error.code === 'memory_busy') throw error
    throw notFetched(access, error.message, error)
  }
}

const notFetched = (access: Access, why: string, cause?: unknown): GenerationError =>
  new GenerationError({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'provider',
    made: true,
    message: `The picture that ${called(access)} made could not be fetched from where it says that it is: ${why}.`,
    cause,
  })
