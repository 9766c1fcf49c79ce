import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { escapeUTF8 } from 'entities'
import type { Response } from 'express'
import { createLanguage, english, type Language, type LanguageCode, languageCodes } from '../lib/sentences.ts'
import { packageRoot } from '../lib/version.ts'

/** Where the mark, the look and the translations are: beside the built program, else in a clone. */
const FOLDERS = [
  join(dirname(fileURLToPath(import.meta.url)), 'dashboard'),
  join(packageRoot, 'dashboard/src'),
  join(packageRoot, 'dashboard/src/styles'),
  join(packageRoot, 'dashboard/languages/server'),
]

const readShared = (name: string): string =>
  readFileSync(FOLDERS.map((folder) => join(folder, name)).find(existsSync) as string, 'utf8')

/** The mark of the dashboard. Its title would be read out beside the name. */
const mark = readShared('icon.svg')
  .replace(/<title>[^<]*<\/title>/, '')
  .replace('<svg ', '<svg aria-hidden="true" width="26" height="26" ')

/** Typeface and colours of the dashboard, in the reader's own light or dark. */
const look = readShared('look.css')
  .replaceAll('@fontsource/inter/files/', '/assets/')
  .replace(/\[data-scheme="dark"\] (\{[^{}]*\})/, '@media (prefers-color-scheme: dark) { :root $1 }')

const pageStyle = `${look}\n${readShared('page.css')}`

export interface Page {
  /** HTTP status; 200 where left out. */
  status?: number
  /** Of its words; the reader's where left out. */
  language?: 'en'
  title: string | Html
  body: Html
  /** Seconds after which the browser asks again, for a page that waits for something. */
  refresh?: number
}

const styleHash = createHash('sha256').update(pageStyle).digest('base64')

/** No scripts, a typeface from here, nothing from elsewhere, no frame around it: all that a page of words and forms needs. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

let german: Language | undefined

export function languageOf(code: LanguageCode): Language {
  if (code === 'en') return english
  german ??= createLanguage(code, JSON.parse(readShared('de.json')))
  return german
}

/** Answers with a page for people, in their language. It is never stored or indexed: its address or its words may be for one person. */
export function sendPage(response: Response, { status = 200, language, title, body, refresh }: Page): void {
  const code = language ?? response.req.acceptsLanguages(...languageCodes)
  response
    .status(status)
    .set('Content-Security-Policy', contentSecurityPolicy)
    .set('Cache-Control', 'no-store')
    .set('X-Robots-Tag', 'noindex')
    .type('html')
  if (refresh !== undefined) response.set('Refresh', String(refresh))
  response.send(documentOf(title, body, languageOf(code === 'de' ? 'de' : 'en')))
}

const documentOf = (title: Page['title'], body: Html, language: Language): string =>
  html`<!doctype html>
<html lang="${language.code}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Galley</title>
<style>${new Html([pageStyle])}</style>
</head>
<body>
<header>${new Html([mark])}Galley</header>
<main>
${body}
</main>
</body>
</html>
`.in(language)

/** HTML that is safe to send: made by {@link html}, which escapes every text put into it. */
export class Html {
  private readonly strings: readonly string[]
  private readonly parts: readonly HtmlPart[]

  constructor(strings: readonly string[], parts: readonly HtmlPart[] = []) {
    this.strings = strings
    this.parts = parts
  }

  /** In English. */
  get text(): string {
    return this.in(english)
  }

  in(language: Language): string {
    const template = this.strings.reduce((text, string, at) => `${text}{#${at}}${string}`)
    const translated = language.catalogue[template.replace(/\s+/g, ' ').trim()]
    const part = (at: number) => toHtmlText(this.parts[at] ?? '', language)
    if (translated !== undefined)
      return translated.replaceAll(/\{#(\d+)\}/g, (_all, n) => part(Number(n) - 1))
    return this.strings.map((text, at) => (at === 0 ? text : part(at - 1) + text)).join('')
  }
}

/** Dates are days; `said` is a sentence of the server. */
type HtmlPart = string | number | Date | Html | { said: string } | HtmlPart[]

/** A template of HTML. Texts and numbers in it are escaped, pieces of HTML and lists of them are not. The words of one are translated together. */
export const html = (strings: TemplateStringsArray, ...parts: HtmlPart[]): Html => new Html(strings, parts)

/** Nothing, where a piece may be missing. */
export const emptyHtml = new Html([''])

function toHtmlText(part: HtmlPart, language: Language): string {
  if (Array.isArray(part)) return part.map((one) => toHtmlText(one, language)).join('')
  if (part instanceof Html) return part.in(language)
  if (part instanceof Date)
    return part.toLocaleDateString(language.code, { dateStyle: 'long', timeZone: 'UTC' })
  return escapeUTF8(typeof part === 'object' ? language.translate(part.said) : String(part))
}
