import { z } from 'zod'
import { type Tier, type Voice, voices } from '../../../contract/generation/requests.ts'

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
export interface ProviderEntrySettings {
  name: string
  kind: ProviderKind
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
export type StepSettings =
  | string[]
  | { basic?: string[] | undefined; standard: string[]; advanced?: string[] | undefined }

function providerSchema(model: ReturnType<typeof modelSchema>) {
  const models = z.record(text(200), model)
  const ofKind = (kind: ProviderKind) => {
    const facts: ProviderKindSpec = providerKinds[kind]
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
  const [first, ...others] = providerKindNames
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
  } satisfies Record<ProviderTask, z.ZodType<StepSettings | undefined>>
}

/**
 * The schemas of the GALLEY_PROVIDERS file and its parts, checked apart so that one mistake hides
 * no other. A function: most processes never need them.
 */
export function providersFileSchemas() {
  const model = modelSchema()
  const provider = providerSchema(model) as z.ZodType<ProviderEntrySettings>
  const steps = stepSchemas()
  const whole = z.strictObject({
    providers: z.array(provider).max(100).default([]),
    steps: z.strictObject(steps).default({}),
  })
  return { whole, provider, model, steps }
}

/** What Galley asks others for, as `steps` in the file of providers names it. */
export const providerTasks = ['text', 'research', 'search', 'image', 'audio'] as const
export type ProviderTask = (typeof providerTasks)[number]

/** What a kind of provider needs and can. */
export interface ProviderKindSpec {
  /** What it can be asked for. */
  does: readonly ProviderTask[]
  /** `needed`, `none`, or the address where it is unless the settings say another. */
  url: 'needed' | 'none' | { usually: string }
  key: 'needed' | 'optional' | 'none'
  /** Whether it has models, one of which is named with it: `openai/MODEL`. */
  models: boolean
}

/** The kinds of providers that there are. What each is made of is in `registry.ts`. */
export const providerKinds = {
  /** Any endpoint that speaks as OpenAI's does. */
  openai: { does: ['text', 'research', 'image', 'audio'], url: 'needed', key: 'optional', models: true },
  gemini: {
    does: ['audio'],
    url: { usually: 'https://generativelanguage.googleapis.com/v1beta' },
    key: 'needed',
    models: true,
  },
  searxng: { does: ['search'], url: 'needed', key: 'none', models: false },
  tavily: { does: ['search'], url: { usually: 'https://api.tavily.com' }, key: 'needed', models: false },
  brave: {
    does: ['search'],
    url: { usually: 'https://api.search.brave.com' },
    key: 'needed',
    models: false,
  },
  /** A list of pages that the operator gives. */
  pages: { does: ['search'], url: 'none', key: 'none', models: false },
  /** eSpeak NG, in this process. */
  espeak: { does: ['audio'], url: 'none', key: 'none', models: false },
  /** Typographic cards, drawn in this process. */
  cards: { does: ['image'], url: 'none', key: 'none', models: false },
} as const satisfies Record<string, ProviderKindSpec>

export type ProviderKind = keyof typeof providerKinds
export const providerKindNames = Object.keys(providerKinds) as [ProviderKind, ...ProviderKind[]]

export const offlineProviders = ['espeak', 'cards'] as const satisfies ProviderKind[]

/** Something wrong with the settings: where, and what. Never a value, which may be a secret. */
export interface SettingIssue {
  path: string
  message: string
}

/** A provider as the settings describe it, its key found. */
export interface ConfiguredProvider {
  name: string
  kind: ProviderKind
  /** Without a slash at its end; empty for one that is in this process. */
  url: string
  /** Gives its key. A function, so that no log and no dump of the settings has it. */
  key: (() => string) | undefined
  /** Where its key, its address and its models are set, as sentences name it: `GALLEY_AI_KEY`. */
  settings: { key: string; url: string; model: string }
  models: Record<string, ModelSettings>
  /** Of a list of pages. */
  pages: string[]
  /** Calls that may be under way at once; undefined where nothing is said of it. */
  concurrency: number | undefined
  timeoutMs: number | undefined
}

/** Who is asked: a provider, and for what model of it; an empty text where it has none. */
export interface ModelReference {
  provider: string
  model: string
}

/** Who is asked for what, the preferred first. */
export type StepProviders = Record<ProviderTask, Record<Tier, ModelReference[]>>

export interface ProviderSettings {
  providers: ConfiguredProvider[]
  steps: StepProviders
}
