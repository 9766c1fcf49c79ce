import { createRequire } from 'node:module'
import type { Voice } from '../../../contract/generation/requests.ts'
import { countCharacters } from '../../../contract/scalars.ts'
import { createWorkerThread } from '../../../lib/worker-threads.ts'
import { jobFailure, providerFailure } from '../../failure.ts'
import type { Named } from '../access.ts'
import type { SpeechProvider } from '../types.ts'
import { decodeWav, wavHeader } from '../wav.ts'

export interface Utterance {
  voice: string
  rate: number
  pitch: number
  ssml: string
}

export type EspeakReply = { samples: Int16Array<ArrayBuffer>; sampleRate: number } | { failure: string }

export const espeakLanguages = new Set(
  `af am an ar as az ba be bg bn bpy bs ca chr cmn cs cv cy da de el en en-029 en-GB-scotland en-GB-x-rp en-US eo es es-419
  et eu fa fi fo fr fr-BE fr-CH ga gd gn grc gu hak haw he hi hr ht hu hy hyw ia id io is it ja jbo ka kaa kk kl kn ko kok
  ku ky la lb lfn lt ltg lv mi mk ml mr ms mt my nb nci ne nl nog om or pa pap pl pt pt-BR qu quc ro ru ru-LV sd shn si sk
  sl smj sq sr sv sw ta te th ti tk tn tr tt ug uk ur uz vi vi-VN-x-central vi-VN-x-south yue`.split(/\s+/),
)

const pairs = (list: string): Record<string, string> =>
  Object.fromEntries(list.split(/\s+/).map((pair) => pair.split(':')))

/** The same speech by another code, with a region or without, and languages whose speakers understand each other. */
const aliases = pairs('zh:cmn zh-HK:yue zh-MO:yue en-CA:en-US en-PH:en-US no:nb nn:nb')

/** What is nearest to a language that it does not speak: one of its own family, where people know the one by the other. */
const relatedLanguages = pairs(
  `gl:pt oc:ca ast:es fy:nl gsw:de nds:de yi:de jv:id su:id fil:id ceb:id zu:sw xh:sw rw:sw hsb:cs lo:th mai:hi bho:hi ps:fa
  ckb:fa`,
)

/** Whose letters it can read at least. */
const scriptFallbacks = pairs(
  `Latn:en-US Cyrl:ru Arab:ar Deva:hi Hans:cmn Hant:cmn Hebr:he Grek:el Jpan:ja Kore:ko Beng:bn Taml:ta Telu:te Thai:th
  Ethi:am Armn:hy Geor:ka`,
)

interface LanguageMatch {
  name: string
  /** Whether it is the language that was asked for, be it with the voice of another region. */
  exact: boolean
}

/** The voice of a region, a language, a related one or its script, else English. @param tag BCP 47, as requests are held to it */
export function matchLanguage(tag: string): LanguageMatch {
  const { language, region, script = 'Latn' } = new Intl.Locale(tag).maximize()
  const full = `${language}-${region}`
  const american = language === 'es' && region !== 'ES' ? 'es-419' : undefined
  const own = [aliases[full], full, american, language, aliases[language]].find(
    (name) => name !== undefined && espeakLanguages.has(name),
  )
  if (own !== undefined) return { name: own, exact: true }
  return { name: relatedLanguages[language] ?? scriptFallbacks[script] ?? 'en-US', exact: false }
}

export const languageName = (name: string): string =>
  new Intl.DisplayNames('en', { type: 'language' }).of(name.replace(/-x-.*/, '')) ?? name

/** A woman's for a woman's, livelier ones faster and higher; no two sound the same. */
export const espeakVoices: Record<Voice, readonly [variant: string, rate: number, pitch: number]> = {
  Kore: ['f2', 165, 50],
  Puck: ['m3', 180, 60],
  Charon: ['m1', 165, 40],
  Fenrir: ['m2', 185, 55],
  Zephyr: ['f1', 178, 60],
  Aoede: ['f3', 172, 55],
  Leda: ['f4', 165, 58],
  Orus: ['m4', 165, 48],
  Achernar: ['f5', 155, 45],
  Achird: ['m5', 172, 52],
  Algenib: ['m6', 160, 30],
  Algieba: ['m7', 165, 44],
  Alnilam: ['m8', 168, 40],
  Autonoe: ['f1', 175, 52],
  Callirrhoe: ['f2', 162, 55],
  Despina: ['f3', 165, 48],
  Enceladus: ['m1', 158, 46],
  Erinome: ['f4', 168, 48],
  Gacrux: ['f5', 158, 36],
  Iapetus: ['m2', 168, 45],
  Laomedeia: ['f1', 182, 66],
  Pulcherrima: ['f2', 178, 60],
  Rasalgethi: ['m3', 168, 46],
  Sadachbia: ['m4', 185, 60],
  Sadaltager: ['m5', 165, 42],
  Schedar: ['m6', 168, 44],
  Sulafat: ['f3', 160, 42],
  Umbriel: ['m7', 160, 52],
  Vindemiatrix: ['f4', 155, 52],
  Zubenelgenubi: ['m8', 175, 50],
}

/** Installed by who wants it: its licence, GPL-3.0, is not Galley's. */
export const ESPEAK_PACKAGE = '@echogarden/espeak-ng-emscripten'

/** For one text, on a machine that has much else to do. */
const TIMEOUT_MS = 300_000

const notice =
  'The speech was made by eSpeak NG, a synthesiser that runs without any service, and sounds like one. For a natural voice, name a provider for audio in the file of GALLEY_PROVIDERS.'

/** In a process all speak in one thread, one text after the other: it takes 80 MB, and half a second to start. */
const thread = createWorkerThread<Utterance, EspeakReply>('espeak', { timeoutMs: TIMEOUT_MS, heapMb: 64 })

export async function synthesise(utterance: Utterance, signal: AbortSignal) {
  const heard = await thread.run(utterance, signal).catch((cause: unknown) => {
    signal.throwIfAborted()
    const why = cause instanceof Error ? cause.message : String(cause)
    throw providerFailure(`eSpeak NG did not speak: ${why}.`, { cause })
  })
  if ('samples' in heard) return heard
  throw jobFailure('INVALID_OUTPUT', `eSpeak NG did not speak: ${heard.failure}.`)
}

function espeakIsInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve(ESPEAK_PACKAGE)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return false
    throw error
  }
}

/** eSpeak NG, in a thread of this process: speaks a hundred languages without any service; undefined where its package is not installed. */
export function espeakSpeech({ name, concurrency }: Omit<Named, 'model'>): SpeechProvider | undefined {
  if (!espeakIsInstalled()) return undefined
  return {
    name,
    model: 'espeak-ng',
    notice,
    concurrency,
    voice: (voice, language) => {
      const spoken = matchLanguage(language)
      const named = { name: `${spoken.name}+${espeakVoices[voice][0]}`, exact: false }
      return spoken.exact ? named : { ...named, language: languageName(spoken.name) }
    },
    speak: async ({ text, voice, language, style }, { signal }) => {
      signal.throwIfAborted()
      const [variant, rate, pitch] = espeakVoices[voice]
      const spoken = `${matchLanguage(language).name}+${variant}`
      const utterance = { voice: spoken, rate, pitch, ssml: toSsml(text) }
      const { samples, sampleRate } = await synthesise(utterance, signal)
      const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
      return {
        provider: name,
        model: 'espeak-ng',
        body: Buffer.concat([wavHeader(sampleRate, samples.length), bytes]),
        usage: { characters: countCharacters(text) },
        withoutStyle: style !== null,
      }
    },
    read: ({ body }) => decodeWav(body as Buffer),
  }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** A text as itself: nothing in it is an order to the synthesiser, which reads SSML, and phonemes in double brackets. */
const toSsml = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: its texts end at the first of them
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, ' ')
    .replace(/\[(?=\[)/g, '[ ')
    .replace(/[&<>]/g, (character) => entities[character] ?? '')
