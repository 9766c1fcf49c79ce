import { _x, type LocaleData, setLocaleData } from '@wordpress/i18n'

/** What a file of dashboard/languages holds: translations as `@wordpress/i18n` takes them, by the English text. */
type Catalogue = LocaleData

const catalogues = import.meta.glob<Catalogue>('../languages/*.json', { import: 'default' })

const KEPT_AS = 'galley.language'

/** The languages that the page speaks, by their codes. */
export const languages = ['en', ...Object.keys(catalogues).map(codeOf)] as const

/** The one that is chosen here, or else the first of the browser's that the page speaks. */
export function currentLanguage(): string {
  const wanted = [localStorage.getItem(KEPT_AS), ...navigator.languages.map((tag) => tag.split('-')[0])]
  return wanted.find((code) => code != null && languages.includes(code)) ?? 'en'
}

/** The same with the country of the browser's, by which dates and numbers are written: `en-GB`. */
export function currentLocale(): string {
  const language = currentLanguage()
  return navigator.languages.find((tag) => tag.split('-')[0] === language) ?? language
}

/** Remembers the choice in this browser, and loads the page anew in it. */
export function chooseLanguage(code: string): void {
  localStorage.setItem(KEPT_AS, code)
  location.reload()
}

let loading: Promise<void> | undefined

/** Before anything is said: once, whoever waits for it. */
export function loadLanguage(): Promise<void> {
  loading ??= load()
  return loading
}

async function load(): Promise<void> {
  const language = currentLanguage()
  const loadCatalogue = catalogues[`../languages/${language}.json`]
  if (loadCatalogue !== undefined) setLocaleData(await loadCatalogue(), 'galley')
  // `?rtl` tries the other direction with any language.
  const turned = new URLSearchParams(location.search).has('rtl')
  document.documentElement.lang = language
  document.documentElement.dir = turned ? 'rtl' : _x('ltr', 'text direction', 'galley')
}

function codeOf(file: string): string {
  return file.replace(/^.*\/([\w-]+)\.json$/, '$1')
}
