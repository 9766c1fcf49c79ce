import type { Tier } from '../../contract/generation/requests.ts'
import type { Outbound } from '../../outbound/index.ts'
import type { ProviderAccess } from './access.ts'
import { braveSearch } from './brave.ts'
import { cardPictures } from './cards/cards.ts'
import { espeakSpeech } from './espeak/espeak.ts'
import { geminiSpeech } from './gemini.ts'
import { openaiPictures } from './openai/pictures.ts'
import { openaiSpeech } from './openai/speech.ts'
import { openaiText } from './openai/text.ts'
import { pageList } from './page-list.ts'
import { searxngSearch } from './searxng.ts'
import type {
  ConfiguredProvider,
  ModelReference,
  ProviderKind,
  ProviderSettings,
  ProviderTask,
} from './settings/schema.ts'
import { tavilySearch } from './tavily.ts'
import type { PictureProvider, Providers, SearchProvider, SpeechProvider, TextProvider } from './types.ts'

/** What makes the adapters of a kind; undefined from one whose package is not installed. */
interface ProviderAdapter {
  text?: (access: ProviderAccess) => TextProvider | undefined
  search?: (access: ProviderAccess) => SearchProvider | undefined
  image?: (access: ProviderAccess) => PictureProvider | undefined
  audio?: (access: ProviderAccess) => SpeechProvider | undefined
}

/**
 * Adapters load their heavy modules on the first call. A new one is a line here and one in
 * `generation/providers/settings/schema.ts`.
 */
const adapters: Record<ProviderKind, ProviderAdapter> = {
  openai: { text: openaiText, image: openaiPictures, audio: openaiSpeech },
  gemini: { audio: geminiSpeech },
  espeak: { audio: espeakSpeech },
  searxng: { search: searxngSearch },
  tavily: { search: tavilySearch },
  brave: { search: braveSearch },
  pages: { search: pageList },
  cards: { image: cardPictures },
}

/**
 * The configured providers; listing them loads nothing.
 *
 * @param outbound the guard for foreign addresses; the providers' own may be private, and have a
 * guard of their own
 */
export function createProviders({ providers, steps }: ProviderSettings, outbound: Outbound): Providers {
  const byName = new Map(providers.map((provider) => [provider.name, provider]))
  const made = new Map<string, unknown>()
  const own = new Map<string, Outbound>()
  const reaching = (url: string): Outbound => {
    if (url === '') return outbound
    const target = originTarget(new URL(url))
    const known = own.get(target) ?? outbound.also([target])
    own.set(target, known)
    return known
  }

  function list<Made>(task: keyof ProviderAdapter, references: ModelReference[]): Made[] {
    return references.flatMap((reference) => {
      // One of a name and a model, so that what it has found out is known to all who ask it.
      const id = JSON.stringify([task, reference.provider, reference.model])
      const provider = byName.get(reference.provider)
      if (!made.has(id) && provider) made.set(id, make(task, provider, reference.model))
      const adapter = made.get(id)
      return adapter === undefined ? [] : [adapter as Made]
    })
  }

  const make = (
    task: keyof ProviderAdapter,
    { models, kind, ...provider }: ConfiguredProvider,
    model: string,
  ) => {
    const access: ProviderAccess = {
      ...provider,
      model,
      options: models[model] ?? {},
      outbound: reaching(provider.url),
      elsewhere: outbound,
    }
    return adapters[kind][task]?.(access)
  }

  const of = (task: ProviderTask, tier: Tier) => steps[task][tier]
  return {
    text: (tier) => list('text', of('text', tier)),
    research: (tier) => list('text', of('research', tier)),
    search: () => list('search', of('search', 'standard')),
    pictures: (tier) => list('image', of('image', tier)),
    speech: (tier) => list('audio', of('audio', tier)),
  }
}

const originTarget = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`
