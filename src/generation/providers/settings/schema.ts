import { z } from 'zod'
import { type Voice, voices } from '../../../contract/generation/choices.ts'
import { type Kind, type KindOfProvider, kindNames, kinds, type Task } from '../kinds.ts'

// The file of providers, as docs/generation.md describes it to whoever writes one.

/** An address of http or https, without what would be a secret in it. */
export const providerUrl = z
  .url({ protocol: /^https?$/, error: 'must be a full address, such as https://api.example.com/v1' })
  .refine((url) => {
    // That it is no address has been said.
    if (!URL.canParse(url)) return true
    const { username, password, search, hash } = new URL(url)
    return `${username}${password}${search}${hash}` === ''
  }, 'must have no user name, password, query or fragment; a key has its own setting')

/** A key: it goes into a header, so it has no spaces and nothing outside ASCII. */
export const providerKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,4096}$/, 'must be a key: printable ASCII without spaces')

/** An environment variable that may hold a key: none of Galley's own. */
export const variableName = /^(?!GALLEY_)[A-Za-z_]\w{0,200}$/i

const text = (most: number) => z.string().trim().min(1).max(most)

function modelSchema() {
  const amount = z.number().min(0).max(1_000_000)
  const size = z.string().regex(/^[1-9]\d{1,4}x[1-9]\d{1,4}$/, 'must be WIDTHxHEIGHT, such as 1536x1024')
  return z.strictObject({
    /** In whole units of a currency. */
    prices: z
      .strictObject({
        /** A million tokens of the question. */
        input: amount.optional(),
        /** A million tokens of the answer. */
        output: amount.optional(),
        /** One image. */
        image: amount.optional(),
        /** A million characters of speech. */
        characters: amount.optional(),
      })
      .optional(),
    /** Members that are added to the body of every request, such as `reasoning_effort`. */
    extra: z.record(text(100), z.json()).optional(),
    /** How JSON of a schema is asked for; found out where it is left out. */
    structured: z.enum(['schema', 'json', 'text']).optional(),
    /** Images: the sizes there are. */
    sizes: z.array(size).min(1).max(20).optional(),
    /** Images: what the three qualities are called, or false where it takes none. */
    quality: z
      .union([z.literal(false), z.strictObject({ low: text(40), medium: text(40), high: text(40) })])
      .optional(),
    /** Images: whether `background` is understood; without it none is transparent. */
    background: z.boolean().optional(),
    /** Images: whether `output_format` is understood. */
    output_format: z.boolean().optional(),
    /** Speech: the name of a voice for each of ours, and for all `other` ones. */
    voices: z
      .partialRecord(z.enum([...(Object.keys(voices) as [Voice, ...Voice[]]), 'other']), text(200))
      .optional(),
    /** Speech: what is asked for. */
    audio: z.enum(['pcm', 'wav']).optional(),
    /** Speech: samples a second of `pcm`, which has no header that says so. */
    sample_rate: z.int().min(8000).max(96_000).optional(),
    /** Speech: whether `instructions` are understood. */
    instructions: z.boolean().optional(),
    /** Speech: characters of one request at most. */
    longest_text: z.int().min(100).max(20_000).optional(),
  })
}

/** What the settings say of one model; every member may be left out. */
export type ModelSettings = z.output<ReturnType<typeof modelSchema>>

/** One provider as the file has it, whatever its kind. */
export interface ProviderInFile {
  name: string
  kind: Kind
  url?: string | undefined
  key?: string | undefined
  /** The environment variable that holds the key. */
  key_from?: string | undefined
  models?: Record<string, ModelSettings> | undefined
  pages?: string[] | undefined
  /** Calls that may be under way at once. */
  concurrency?: number | undefined
  timeout_seconds?: number | undefined
}

/** A step's providers in order, as `name` or `name/model`: one list, or one for each tier. */
export type InSteps =
  | string[]
  | { basic?: string[] | undefined; standard: string[]; advanced?: string[] | undefined }

function providerSchema(model: ReturnType<typeof modelSchema>) {
  const models = z.record(text(200), model)
  const ofKind = (kind: Kind) => {
    const facts: KindOfProvider = kinds[kind]
    return z.strictObject({
      name: z
        .string()
        .regex(/^[\w.-]{1,60}$/, 'must be 1 to 60 letters, digits, dots, hyphens or underscores'),
      kind: z.literal(kind),
      concurrency: z.int().min(1).max(1000).optional(),
      timeout_seconds: z.int().min(1).max(3600).optional(),
      ...(facts.url === 'none' ? {} : { url: facts.url === 'needed' ? providerUrl : providerUrl.optional() }),
      ...(facts.key === 'none'
        ? {}
        : {
            key: providerKey.optional(),
            key_from: z
              .string()
              .regex(
                variableName,
                'must be the name of an environment variable, and not one that begins with GALLEY_ as Galley’s own do',
              )
              .optional(),
          }),
      ...(facts.models ? { models: models.optional() } : {}),
      ...(kind === 'pages'
        ? {
            pages: z
              .array(z.url({ protocol: /^https?$/, error: 'must be a full address' }))
              .min(1)
              .max(1000),
          }
        : {}),
    })
  }
  const [first, ...others] = kindNames
  return z.discriminatedUnion('kind', [ofKind(first), ...others.map(ofKind)])
}

function stepSchemas() {
  const list = z.array(text(300)).max(20)
  const byTier = z.union([
    list,
    z.strictObject({ basic: list.optional(), standard: list, advanced: list.optional() }),
  ])
  const inAll = byTier.optional()
  return {
    text: inAll,
    research: inAll,
    search: list.optional(),
    image: inAll,
    audio: inAll,
  } satisfies Record<Task, z.ZodType<InSteps | undefined>>
}

/**
 * The schemas of the file that GALLEY_PROVIDERS names: the whole, and its parts, since what is wrong with one part must not
 * hide what is wrong with another. A function: most processes never read one, and they take a moment to make.
 */
export function fileSchemas() {
  const model = modelSchema()
  const provider = providerSchema(model) as z.ZodType<ProviderInFile>
  const steps = stepSchemas()
  const whole = z.strictObject({
    providers: z.array(provider).max(100).default([]),
    steps: z.strictObject(steps).default({}),
  })
  return { whole, provider, model, steps }
}
