import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { escapeUTF8 } from 'entities'
import type { Response } from 'express'
import { packageRoot } from '../lib/version.ts'

/** Where the mark and the look are: beside the built program, else in a clone. */
const FOLDERS = [
  join(dirname(fileURLToPath(import.meta.url)), 'dashboard'),
  join(packageRoot, 'dashboard/src'),
  join(packageRoot, 'dashboard/src/styles'),
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

/** One column. */
const pageStyle = `${look}
*, ::before, ::after { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 36rem;
  background: var(--g-background); color: var(--g-text);
  font: 1rem/1.6 var(--g-font);
  overflow-wrap: break-word;
}
header { display: flex; align-items: center; gap: .6rem; margin: 0 .25rem 1rem; font-weight: 600; }
main { background: var(--g-surface); border: 1px solid var(--g-line); border-radius: calc(var(--g-radius) * 1.5); padding: 1.75rem; box-shadow: var(--g-shadow); }
h1 { margin: 0 0 .75rem; font-size: 1.6rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; }
h2 { margin: 1.75rem 0 .5rem; font-size: 1.0625rem; }
p { margin: 0 0 1rem; text-wrap: pretty; }
ul { margin: 0 0 1rem; padding-left: 1.25rem; }
li { margin: .25rem 0; }
a { color: var(--g-accent); }
code { font-size: .94em; }
pre, table { overflow-x: auto; }
table { display: block; margin-bottom: 1rem; border-collapse: collapse; font-size: .9375rem; overflow-wrap: normal; }
:is(th, td) { padding: .4rem 1rem .4rem 0; border-bottom: 1px solid var(--g-line); text-align: start; vertical-align: top; }
.site { font-weight: 600; }
.soft, small { color: var(--g-text-weak); font-size: .9375rem; }
.button {
  display: inline-block; padding: .7rem 1.25rem; border: 0; border-radius: var(--g-radius);
  background: var(--g-accent); color: var(--g-on-accent); font: inherit; font-weight: 600; text-decoration: none; cursor: pointer;
}
.button:hover { background: var(--g-accent-strong); }
:focus-visible { outline: 3px solid var(--g-accent); outline-offset: 2px; border-radius: 4px; }
.note { margin: 0 0 1.25rem; padding: .8rem 1rem; border-left: 4px solid var(--g-warning); background: var(--g-warning-surface); border-radius: 0 var(--g-radius) var(--g-radius) 0; }
.note.problem { border-color: var(--g-bad); background: var(--g-bad-surface); }
.note :last-child { margin-bottom: 0; }
details { margin: 1.5rem 0; padding: 1rem 0; border: solid var(--g-line); border-width: 1px 0; }
details > p { margin-top: .5rem; }
main > :last-child { margin-bottom: 0; }
summary { cursor: pointer; font-weight: 600; }
small { display: block; margin-top: .3rem; }
label { display: block; margin: 1rem 0 .3rem; font-weight: 600; }
input {
  width: 100%; padding: .6rem .75rem; border: 1px solid var(--g-line-strong); border-radius: var(--g-radius);
  background: var(--g-surface); color: inherit; font: inherit;
}
form { margin-bottom: 1.25rem; }
form .button { margin-top: 1.25rem; }
.report { list-style: none; padding: 0; }
.report li { padding: .7rem 0; border-top: 1px solid var(--g-line); margin: 0; }
.report p { margin: .15rem 0 0; }
.level { font-weight: 600; margin-right: .35rem; }
.level.ok { color: var(--g-good); } .level.warning { color: var(--g-warning); } .level.problem { color: var(--g-bad); }
@media (max-width: 30rem) {
  body { padding: 1rem .5rem 3rem; }
  main { padding: 1.25rem; }
  .button { display: block; width: 100%; text-align: center; }
}
`

export interface Page {
  /** HTTP status; 200 where left out. */
  status?: number
  title: string
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

/** Answers with a page for people. It is never stored or indexed: its address or its words may be for one person. */
export function sendPage(response: Response, { status = 200, title, body, refresh }: Page): void {
  response
    .status(status)
    .set('Content-Security-Policy', contentSecurityPolicy)
    .set('Cache-Control', 'no-store')
    .set('X-Robots-Tag', 'noindex')
    .type('html')
  if (refresh !== undefined) response.set('Refresh', String(refresh))
  response.send(documentOf(title, body).text)
}

const documentOf = (title: string, body: Html): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Galley</title>
<style>${new Html(pageStyle)}</style>
</head>
<body>
<header>${new Html(mark)}Galley</header>
<main>
${body}
</main>
</body>
</html>
`

/** HTML that is safe to send: made by {@link html}, which escapes every text put into it. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type HtmlPart = string | number | Html | HtmlPart[]

/** A template of HTML. Texts and numbers in it are escaped, pieces of HTML and lists of them are not. */
export const html = (strings: TemplateStringsArray, ...parts: HtmlPart[]): Html =>
  new Html(
    strings.map((text, index) => (index === 0 ? text : toHtmlText(parts[index - 1] ?? '') + text)).join(''),
  )

/** Nothing, where a piece may be missing. */
export const emptyHtml = new Html('')

function toHtmlText(part: HtmlPart): string {
  if (Array.isArray(part)) return part.map(toHtmlText).join('')
  return part instanceof Html ? part.text : escapeUTF8(String(part))
}
