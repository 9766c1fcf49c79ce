import { z } from 'zod'
import { type Tier, type Voice, voices } from '../../../contract/generation/requests.ts'

// The file of providers, as docs/generation.md describes it to whoever writes one.

const webAddress = z.url({
  protocol: /^https?$/,
  error: 'must be a full address, such as https://api.example.com/v1',
})

/** An address of http or https, without what would be a secret in it. */
export const providerUrl = webAddress.regex(
  /^[^?#@]*$/,
  'must have no user name, password, query or fragment; a key has its own setting',
)

/** A key: it goes into a header, so it has no spaces and nothing outside ASCII. */
export const providerKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,4096}$/, 'must be a key: printable ASCII without spaces')

/** An environment variable that may hold a key: none of Galley's own. */
const variableName = z
  .string()
  .regex(
    /^(?!GALLEY_)[A-Za-z_]\w{0,200}$/i,
    'must be the name of an environment variable, and not one that begins with GALLEY_ as Galley’s own do',
  )

const text = (most: number) => z.string().trim().min(1).max(most)

function modelSchema() {
  const amount = z.number().min(0).max(1_000_000).optional()
  const size = z.string().regex(/^[1-9]\d{1,4}x[1-9]\d{1,4}$/, 'must be WIDTHxHEIGHT, such as 1536x1024')
  const names = z.strictObject({ low: text(40), medium: text(40), high: text(40) })
  const voice = z.enum([...(Object.keys(voices) as [Voice, ...Voice[]]), 'other'])
  return z.strictObject({
    prices: z.strictObject({ input: amount, output: amount, image: amount, characters: amount }).optional(),
    extra: z.record(text(100), z.json()).optional(),
    structured: z.enum(['schema', 'json', 'text']).optional(),
    sizes: z.array(size).min(1).max(20).optional(),
    quality: z.union([z.literal(false), names]).optional(),
    background: z.boolean().optional(),
    output_format: z.boolean().optional(),
    voices: z.partialRecord(voice, text(200)).optional(),
    audio: z.enum(['pcm', 'wav']).optional(),
    sample_rate: z.int().min(8000).max(96_000).optional(),
    instructions: z.boolean().optional(),
    longest_text: z.int().min(100).max(20_000).optional(),
  })
}

export type ModelSettings = z.output<ReturnType<typeof modelSchema>>

export interface ProviderEntrySettings {
  name: string
  kind: ProviderKind
  url?: string | undefined
  key?: string | undefined
  key_from?: string | undefined
  models?: Record<string, ModelSettings> | undefined
  pages?: string[] | undefined
  concurrency?: number | undefined
  timeout_seconds?: number | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

function providerSchema(model: ReturnType<typeof modelSchema>) {
  const ofKind = (kind: ProviderKind) => {
    const { url, key, models }: ProviderKindSpec = providerKinds[kind]
    return z.strictObject({
      name: z
        .string()
        .regex(/^[\w.-]{1,60}$/, 'must be 1 to 60 letters, digits, dots, hyphens or underscores')
        .refine(
          (name) => name === kind || !offlineProviders.some((own) => own === name),
          'is the name of a provider that is always there',
        ),
      kind: z.literal(kind),
      concurrency: z.int().min(1).max(1000).optional(),
      timeout_seconds: z.int().min(1).max(3600).optional(),
      ...(url !== 'none' && { url: url === 'needed' ? providerUrl : providerUrl.default(url.usually) }),
      ...(key !== 'none' && { key: providerKey.optional(), key_from: variableName.optional() }),
      ...(models && { models: z.record(text(200), model).optional() }),
      ...(kind === 'pages' && { pages: z.array(webAddress).min(1).max(1000) }),
    })
  }
  const [first, ...others] = providerKindNames
  return z.discriminatedUnion('kind', [ofKind(first), ...others.map(ofKind)])
}

/** What is wrong with the key of an entry, wherever it is kept. */
function keyIssue({ kind, key, key_from: from }: ProviderEntrySettings, variables: Environment) {
  const issue = (member: 'key' | 'key_from', message: string) => ({ path: [member], message })
  if (providerKinds[kind].key === 'needed' && key === undefined && from === undefined)
    return issue(
      'key',
      'is missing: set it, or "key_from" with the name of the environment variable that holds it',
    )
  if (from === undefined || !variableName.safeParse(from).success) return undefined
  if (key !== undefined) return issue('key_from', 'cannot be set beside "key"')
  const held = variables[from]?.trim()
  if (!held) return issue('key_from', 'names an environment variable that is not set')
  return providerKey.safeParse(held).success
    ? undefined
    : issue(
        'key_from',
        'names an environment variable that holds no key: a key is printable ASCII without spaces',
      )
}

function stepSchemas() {
  const list = z.array(text(300)).max(20)
  const tiers = z.strictObject({ basic: list.optional(), standard: list, advanced: list.optional() })
  const inAll = z.union([list, tiers]).optional()
  return { text: inAll, research: inAll, search: list.optional(), image: inAll, audio: inAll }
}

type ListOfTier = Partial<Record<Tier, string[] | undefined>> & { standard: string[] }

/** The providers of steps in order, as `name` or `name/model`: one list, or one for each tier. */
export type StepLists = Record<ProviderTask, string[] | ListOfTier | undefined>

/** The file and its parts, checked apart so that one mistake hides no other. Most processes need none. */
export function providersFileSchemas(environment: Environment) {
  const model = modelSchema()
  const provider = providerSchema(model) as z.ZodType<ProviderEntrySettings>
  const steps = stepSchemas()
  const whole = z.strictObject({
    providers: z
      .array(
        provider.superRefine((entry, context) => {
          const issue = keyIssue(entry, environment)
          if (issue !== undefined) context.addIssue({ code: 'custom', ...issue })
        }),
      )
      .max(100)
      .default([]),
    steps: z.strictObject(steps).default({}),
  })
  return { whole, provider, model, steps }
}

export const providerTasks = ['text', 'research', 'search', 'image', 'audio'] as const
export type ProviderTask = (typeof providerTasks)[number]

export interface ProviderKindSpec {
  does: readonly ProviderTask[]
  /** `needed`, `none`, or the address where it is unless the settings say another. */
  url: 'needed' | 'none' | { usually: string }
  key: 'needed' | 'optional' | 'none'
  /** Whether it has models, one of which is named with it: `openai/MODEL`. */
  models?: true
}

/** The kinds of providers that there are. What each is made of is in `registry.ts`. */
export const providerKinds = {
  openai: { does: ['text', 'research', 'image', 'audio'], url: 'needed', key: 'optional', models: true },
  gemini: {
    does: ['audio'],
    url: { usually: 'https://generativelanguage.googleapis.com/v1beta' },
    key: 'needed',
    models: true,
  },
  searxng: { does: ['search'], url: 'needed', key: 'none' },
  tavily: { does: ['search'], url: { usually: 'https://api.tavily.com' }, key: 'needed' },
  brave: {
    does: ['search'],
    url: { usually: 'https://api.search.brave.com' },
    key: 'needed',
  },
  pages: { does: ['search'], url: 'none', key: 'none' },
  espeak: { does: ['audio'], url: 'none', key: 'none' },
  cards: { does: ['image'], url: 'none', key: 'none' },
} as const satisfies Record<string, ProviderKindSpec>

export type ProviderKind = keyof typeof providerKinds
const providerKindNames = Object.keys(providerKinds) as [ProviderKind, ...ProviderKind[]]

export const offlineProviders = ['espeak', 'cards'] as const satisfies ProviderKind[]

/** Something wrong with the settings: where, and what. Never a value, which may be a secret. */
export interface SettingIssue {
  path: string
  message: string
}

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
  pages: string[]
  /** Calls that may be under way at once; undefined where nothing is said of it. */
  concurrency: number | undefined
  timeoutMs: number | undefined
}

export interface ModelReference {
  provider: string
  model: string
}

export type StepProviders = Record<ProviderTask, Record<Tier, ModelReference[]>>

export interface ProviderSettings {
  providers: ConfiguredProvider[]
  steps: StepProviders
}
