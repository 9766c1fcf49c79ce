import type { Outbound } from '../../outbound/outbound.ts'
import type { ProviderAccess } from './access.ts'
import { cardPictures } from './cards/cards.ts'
import { espeakSpeech } from './espeak/espeak.ts'
import { geminiSpeech } from './gemini.ts'
import { openaiPictures } from './openai/pictures.ts'
import { openaiSpeech } from './openai/speech.ts'
import { openaiText } from './openai/text.ts'
import { pageList, searchProvider } from './search.ts'
import type { ConfiguredProvider, ModelReference, ProviderKind, ProviderSettings } from './settings/schema.ts'
import type { PictureProvider, Providers, SearchProvider, SpeechProvider, TextProvider } from './types.ts'

/** What makes the adapters of a kind; undefined from one whose package is not installed. */
interface ProviderAdapter {
  text?: (access: ProviderAccess) => TextProvider | undefined
  search?: (access: ProviderAccess) => SearchProvider | undefined
  image?: (access: ProviderAccess) => PictureProvider | undefined
  audio?: (access: ProviderAccess) => SpeechProvider | undefined
}

/** They load heavy modules on the first call. A new one also has a line in `settings/schema.ts`. */
const adapters: Record<ProviderKind, ProviderAdapter> = {
  openai: { text: openaiText, image: openaiPictures, audio: openaiSpeech },
  gemini: { audio: geminiSpeech },
  espeak: { audio: espeakSpeech },
  searxng: { search: searchProvider('searxng') },
  tavily: { search: searchProvider('tavily') },
  brave: { search: searchProvider('brave') },
  pages: { search: pageList },
  cards: { image: cardPictures },
}

/** Loads nothing yet. @param outbound the guard for foreign addresses; providers have guards of their own */
export function createProviders({ providers, steps }: ProviderSettings, outbound: Outbound): Providers {
  const byName = new Map(providers.map((provider) => [provider.name, provider]))
  const adaptersMade = new Map<string, unknown>()
  const guards = new Map<string, Outbound>()
  const guardOf = (url: string): Outbound => {
    if (url === '') return outbound
    const target = originTarget(new URL(url))
    const guard = guards.get(target) ?? outbound.also([target])
    guards.set(target, guard)
    return guard
  }
  const make = (
    task: keyof ProviderAdapter,
    { models, kind, ...provider }: ConfiguredProvider,
    model: string,
  ) => {
    const options = models[model] ?? {}
    const access = { ...provider, model, options, outbound: guardOf(provider.url), elsewhere: outbound }
    return adapters[kind][task]?.(access)
  }
  const list = <Made>(task: keyof ProviderAdapter, references: ModelReference[]): Made[] =>
    references.flatMap(({ provider: name, model }) => {
      // One of a name and a model, so that what it has found out is known to all who ask it.
      const id = JSON.stringify([task, name, model])
      const provider = byName.get(name)
      if (!adaptersMade.has(id) && provider) adaptersMade.set(id, make(task, provider, model))
      return (adaptersMade.get(id) as Made | undefined) ?? []
    })

  return {
    text: (tier) => list('text', steps.text[tier]),
    research: (tier) => list('text', steps.research[tier]),
    search: () => list('search', steps.search.standard),
    pictures: (tier) => list('image', steps.image[tier]),
    speech: (tier) => list('audio', steps.audio[tier]),
  }
}

const originTarget = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`
