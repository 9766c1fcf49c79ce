import { createHash } from 'node:crypto'
import type { Response } from 'express'
import { Html, html } from './html.ts'
import { style } from './style.ts'

export interface Page {
  /** HTTP status; 200 where left out. */
  status?: number
  title: string
  body: Html
  /** Seconds after which the browser asks again, for a page that waits for something. */
  refresh?: number
}

const styleHash = createHash('sha256').update(style).digest('base64')

/** No scripts, nothing from elsewhere, no frame around it: all that a page of words and forms needs. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
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
<style>${new Html(style)}</style>
</head>
<body>
<header><span class="mark" aria-hidden="true"></span>Galley</header>
<main>
${body}
</main>
</body>
</html>
`
