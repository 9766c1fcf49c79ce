import pMap from 'p-map'
import { GalleyError } from '../errors.ts'
import type { Outbound, OutboundResponse } from '../outbound/outbound.ts'
import { findTags, type Tag } from './html.ts'
import { sanitizeCss } from './sanitize-css.ts'

const KIBIBYTE = 1024

/** Bytes that are read of the page that names the style sheets: its head is enough. */
const LARGEST_PAGE = 1024 * KIBIBYTE
/** Bytes of one style sheet; those of page builders come near. */
const LARGEST_SHEET = 512 * KIBIBYTE
/** Bytes of those that are asked for, together, after which no other is. */
const LARGEST_OF_ALL = 1536 * KIBIBYTE
/** Characters of what is made of all. */
const LARGEST_STYLES = 1024 * KIBIBYTE
const MOST_SHEETS = 40
const CONCURRENCY = 4
/** Milliseconds for the page, for a style sheet, and for all of it. */
const PAGE_MS = 8_000
const SHEET_MS = 5_000
const ALL_MS = 12_000

/** Bytes that reading may hold at the most: the page, the style sheets, and what is made of them, two for a character. */
export const BYTES_OF_STYLES =
  3 * LARGEST_PAGE + 3 * (LARGEST_OF_ALL + CONCURRENCY * LARGEST_SHEET) + 4 * LARGEST_STYLES

/** What a site says that its posts look like, without anything that loads or runs. */
export interface SiteStyles {
  css: string
  /** Addresses of style sheets that could not be read, or for which there was no room. */
  leftOut: string[]
}

type Sheet = { media: string } & ({ css: string } | { url: string; guessed?: boolean })

/** Reads the style sheets of a site's front page, as any visitor. @throws what kept the page from being read, or `no_styles` */
export async function readStyles(
  outbound: Outbound,
  site: { name: string; url: string },
): Promise<SiteStyles> {
  const signal = AbortSignal.timeout(ALL_MS)
  const page = await outbound.request(`${site.url}/`, {
    headers: { Accept: 'text/html' },
    redirects: 'follow',
    maxBytes: LARGEST_PAGE,
    overflow: 'cut',
    timeoutMs: PAGE_MS,
    signal,
  })
  if (page.status !== 200) throw noStyles(site, `its front page answered HTTP ${page.status}`)
  const sheets = sheetsOf(page, site.url)
  if (sheets.every((sheet) => 'url' in sheet && sheet.guessed))
    throw noStyles(site, 'its front page names none')
  const leftOut: string[] = []
  let bytes = 0
  const read = await pMap(
    sheets,
    async (sheet): Promise<string> => {
      if ('css' in sheet) return within(sheet.media, sheet.css)
      const css = bytes < LARGEST_OF_ALL ? await textOf(outbound, sheet.url, signal) : undefined
      bytes += css?.length ?? 0
      if (css === undefined && !sheet.guessed) leftOut.push(sheet.url)
      return within(sheet.media, css ?? '')
    },
    { concurrency: CONCURRENCY },
  )
  let css = ''
  for (const [index, text] of read.entries()) {
    // Nobody else waits longer than for one of them.
    await new Promise(setImmediate)
    const clean = sanitizeCss(text)
    if (css.length + clean.length <= LARGEST_STYLES) css += `${clean}\n`
    else leftOut.push(addressOf(sheets[index], page.url))
  }
  return { css, leftOut }
}

const addressOf = (sheet: Sheet | undefined, page: string): string =>
  sheet !== undefined && 'url' in sheet ? sheet.url : page

const within = (media: string, css: string): string =>
  media === '' || media === 'all' || css === '' ? css : `@media ${media}{${css}\n}`

/** Undefined for what could not be read: the others show what a post looks like without it. */
async function textOf(outbound: Outbound, url: string, signal: AbortSignal): Promise<string | undefined> {
  const request = {
    headers: { Accept: 'text/css' },
    redirects: 'follow',
    maxBytes: LARGEST_SHEET,
    timeoutMs: SHEET_MS,
    signal,
  } as const
  try {
    const { status, headers, body } = await outbound.request(url, request)
    const isCss = (headers['content-type'] ?? '').startsWith('text/css')
    return status === 200 && isCss ? body.toString('utf8') : undefined
  } catch (error) {
    if (error instanceof GalleyError || signal.aborted) return undefined
    throw error
  }
}

const CORE = '/wp-includes/'
const LIBRARY = `${CORE}css/dist/block-library/style.min.css`

/** In the order of the page. The library of all blocks goes first: the page has those of its own blocks. */
function sheetsOf({ url: page, body }: OutboundResponse, site: string): Sheet[] {
  const html = body.toString('utf8')
  const found = findTags(html, ['link', 'style', 'script'])
  const textUntil = endOfStyles(html)
  const named = found.flatMap((tag) => sheetOf(tag, html.slice(tag.end, textUntil(tag)), page))
  const linked = named.filter((sheet) => 'url' in sheet).slice(0, MOST_SHEETS)
  const core = found
    .map(({ attributes }) => attributes.get('src') ?? attributes.get('href') ?? '')
    .find((address) => address.includes(CORE))
  const root = core === undefined ? site : core.slice(0, core.indexOf(CORE))
  const library = absolute(`${root}${LIBRARY}`, page)
  return [
    ...(library === undefined ? [] : [{ url: library, media: '', guessed: true }]),
    ...named.filter((sheet) => 'css' in sheet || (linked.includes(sheet) && sheet.url !== library)),
  ]
}

/** Where the text of a `<style>` ends, asked in the page's order. One within another's text has none. */
function endOfStyles(html: string): (tag: Tag) => number {
  const closing = /<\/style/gi
  let last = 0
  return ({ name, end }) => {
    if (name !== 'style' || end < last) return end
    closing.lastIndex = end
    last = closing.exec(html)?.index ?? html.length
    return last
  }
}

/** @param text what stands in a `<style>` */
function sheetOf({ name, attributes }: Tag, text: string, page: string): Sheet[] {
  const media = attributes.get('media') ?? ''
  // A page that wants one later has it printed first, and a script that says otherwise.
  const shown = media === 'print' && attributes.has('onload') ? '' : media
  if (shown === 'print') return []
  if (name === 'style') return text === '' ? [] : [{ media: shown, css: text }]
  const relations = (attributes.get('rel') ?? '').toLowerCase().split(/\s+/)
  if (name !== 'link' || !relations.includes('stylesheet') || relations.includes('alternate')) return []
  const url = absolute(attributes.get('href') ?? '', page)
  return url === undefined ? [] : [{ media: shown, url }]
}

function absolute(address: string, page: string): string | undefined {
  if (address === '' || !URL.canParse(address, page)) return undefined
  const url = new URL(address, page)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined
}

const noStyles = ({ name }: { name: string }, why: string): GalleyError =>
  new GalleyError({
    code: 'no_styles',
    fault: 'site',
    message: `The styles of ${name} could not be read: ${why}.`,
  })
