import { _x, type LocaleData, setLocaleData } from '@wordpress/i18n'
import { type Sentences, sentenceTranslator } from '../../src/lib/sentences.ts'
import { translateAnswer } from './translate-answer.ts'

/** The format of a file in dashboard/languages: translations by the English text, as `@wordpress/i18n` takes them. */
type Catalogue = LocaleData

const catalogues = import.meta.glob<Catalogue>('../languages/*.json', { import: 'default' })

/** Translations of what the server says. */
const serverCatalogues = import.meta.glob<Sentences>('../languages/server/*.json', { import: 'default' })

let translateSentence: ((text: string) => string) | undefined

/** An answer of the API in the current language, as far as its sentences are known. The first answer may be there before these. */
export async function inCurrentLanguage(answer: unknown): Promise<unknown> {
  await loadLanguage().catch(() => undefined)
  return translateSentence === undefined ? answer : translateAnswer(answer, translateSentence)
}

const STORAGE_KEY = 'galley.language'

/** The languages that the page speaks, by their codes. */
export const languages = ['en', ...Object.keys(catalogues).map(codeOf)] as const

/** The chosen language, or the browser's first that the page has. */
export function currentLanguage(): string {
  const wanted = [localStorage.getItem(STORAGE_KEY), ...navigator.languages.map((tag) => tag.split('-')[0])]
  return wanted.find((code) => code != null && languages.includes(code)) ?? 'en'
}

/** The current language with the browser's country, for dates and numbers: `en-GB`. */
export function currentLocale(): string {
  const language = currentLanguage()
  return navigator.languages.find((tag) => tag.split('-')[0] === language) ?? language
}

/** Stores the choice in this browser and reloads the page. */
export function chooseLanguage(code: string): void {
  localStorage.setItem(STORAGE_KEY, code)
  location.reload()
}

let loading: Promise<void> | undefined

/** Loads the translations, once for all callers. */
export function loadLanguage(): Promise<void> {
  loading ??= load()
  return loading
}

async function load(): Promise<void> {
  const language = currentLanguage()
  const loadCatalogue = catalogues[`../languages/${language}.json`]
  const loadSentences = serverCatalogues[`../languages/server/${language}.json`]
  const [texts, sentences] = await Promise.all([loadCatalogue?.(), loadSentences?.()])
  if (texts !== undefined) setLocaleData(texts, 'galley')
  if (sentences !== undefined) translateSentence = sentenceTranslator(sentences)
  // `?rtl` tries the other direction with any language.
  const turned = new URLSearchParams(location.search).has('rtl')
  document.documentElement.lang = language
  document.documentElement.dir = turned ? 'rtl' : _x('ltr', 'text direction', 'galley')
}

function codeOf(file: string): string {
  return file.replace(/^.*\/([\w-]+)\.json$/, '$1')
}
