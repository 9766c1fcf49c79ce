import { decodeHTMLStrict } from 'entities'
import { trimOf } from '../lib/text.ts'

/*
 * All escaping. Each function gives the bytes that the block editor itself writes in that place, but for three
 * exceptions that keep text the text it is:
 * - `[` is `&#91;` in text and in code: shortcodes run in both;
 * - the slashes of an address that stands alone on a line are `&#47;&#47;`: it would become an embed;
 * - `&#91;` written as text is `&amp;&#35;91;`: before 7.1 kses makes the entity of `&amp;#91;`.
 */

const characters: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '&#': '&amp;&#35;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '[': '&#91;',
  '\u00a0': '&nbsp;',
}
const named = (found: string): string => characters[found] ?? found

/** What a feed, being XML, cannot hold, and two characters that the editor keeps for itself and takes out. */
const dropped = /(?![\t\n\v\f\r])\p{Cc}|[\ufeff\ufffc]/gu
const breaks = /[\v\f]/g
const noCharacters = /[\p{Surrogate}\ufffe\uffff]/gu
const noCharacter = /[\p{Surrogate}\ufffe\uffff]/u
const clean = (text: string): string =>
  text.replace(dropped, '').replace(breaks, ' ').replace(noCharacters, '\ufffd')

const space = /[\t\n\r ]+/g

/** Whether there may be anything to escape: most text has nothing, and asking costs half of looking. */
const needsTextEscaping = /[^ !-%'-;=?-Z\\-~\u00a1-\ud7ff\ue000-\ufefe\uff00-\ufffb\ufffd]| {2}/
const needsAttributeEscaping = /[^ !#-%'-;=?-Z\]-~\u00a1-\ud7ff\ue000-\ufefe\uff00-\ufffb\ufffd]| {2}/

/*
 * What text does not show as it is written, found in one pass, since this is where rendering spends its time: white
 * space that is not one space, and what is dropped; entities written as text; and what is no character.
 */
const spaces = String.raw`(?:[\p{Cc}\ufeff\ufffc]| (?=[\p{Cc} \ufeff\ufffc]))[\p{Cc} \ufeff\ufffc]*`
const entity = String.raw`&#(?=(?:\d+|[xX][\dA-Fa-f]+);)`
const other = String.raw`[\p{Surrogate}\ufffe\uffff]`
const inText = new RegExp(String.raw`${spaces}|${entity}|${other}|[&<>[\u00a0]`, 'gu')
const inAttribute = new RegExp(String.raw`${spaces}|${entity}|${other}|[&<>"\u00a0]`, 'gu')

const replacementFor = (found: string): string =>
  characters[found] ?? (noCharacter.test(found) ? '\ufffd' : /[\t\n\v\f\r ]/.test(found) ? ' ' : '')

/** Text among elements. White space is what HTML makes of it: one space. */
export const escapeText = (text: string): string =>
  needsTextEscaping.test(text) ? text.replace(inText, replacementFor) : text

/**
 * A title or an excerpt, in which WordPress takes `<T>` for a tag: nobody would see it, and kses removes it. All else is
 * left as it is, and so are entities that a sender has written.
 */
export const escapeAngleBrackets = (text: string): string => text.replaceAll('<', '&lt;')

/**
 * Shortcodes run in attributes too, and `&#91;` does not last there: kses from 7.0 on makes a bracket of it, and so
 * does the editor of every version when a person saves. An invisible word joiner parts the bracket for good from what
 * would be the shortcode's name (the characters of `get_shortcode_regex`), but not from the IPv6 address of a host.
 */
const partShortcodes = (value: string): string =>
  value.replace(/\[(?=[^<>&/[\]\0-\x20=\u2060])(?![\da-f]*:[\da-f:.]*\])/gi, '[\u2060')

/** The kses of every version takes a backslash before the closing quote away, `wp_kses_stripslashes`. */
const partFromQuote = (value: string): string => (value.endsWith('\\') ? `${value} ` : value)

/** The value of an attribute inside a text, such as a link's: written as the DOM serialises it. */
export const escapeAttribute = (value: string): string =>
  needsAttributeEscaping.test(value)
    ? partFromQuote(partShortcodes(value.replace(inAttribute, replacementFor)))
    : value

/**
 * The value of an attribute that the editor writes itself: alternative text, addresses, anchors. Its escape
 * leaves alone what already looks like an entity, and a block is invalid that knows better; so entities are
 * resolved, and what only looks like one is parted. `@wordpress/escape-html`, `escapeAmpersand`.
 */
export function escapeBlockAttribute(value: string): string {
  const text = clean(resolveEntities(clean(value))).replace(space, ' ')
  const parted = partFromQuote(partShortcodes(text)).replace(
    /&(?=(?:[a-z0-9]+|#[0-9]+|#x[a-f0-9]+);)/gi,
    '& ',
  )
  return parted.replace(/[&<>"]/g, named)
}

/** Resolved again and again, since `&amp;amp;` is one; a few times, since a value may be nothing else. */
function resolveEntities(value: string): string {
  let resolved = value
  for (let times = 0; times < 5 && resolved.includes('&'); times += 1) resolved = decodeHTMLStrict(resolved)
  return resolved
}

/** Code inside `<pre><code>`: every space and line as it is. */
export function escapeCode(code: string): string {
  return clean(code.replace(/\r\n?/g, '\n'))
    .replace(/&#(?=(?:\d+|x[\da-f]+);)|[&<>[\u00a0]/gi, named)
    .replace(addressOnLine, '$1&#47;&#47;$2')
}

/** WordPress's own patterns, `WP_Embed::autoembed`: an address with nothing beside it. */
const addressOnLine = /^([ \t\v\f]*https?:)\/\/([^ \t\n\v\f\r<>"]+[ \t\v\f]*)$/gim
const addressAlone = /^(https?:)\/\/([^ \t\n\v\f\r<>"]+)$/i

/** Escaped text that is to be all of a paragraph. */
export const escapeAutoembed = (html: string): string => html.replace(addressAlone, '$1&#47;&#47;$2')

/** Attributes in a block's comment, with the space before them; the empty string for none. `serializeAttributes`. */
export function serializeBlockAttributes(attributes: object): string {
  if (Object.keys(attributes).length === 0) return ''
  const json = JSON.stringify(attributes)
  return ` ${/--|[\\<>&]/.test(json) ? escapeJson(json) : json}`
}

const escapeJson = (json: string): string =>
  json
    .replace(/\\\\/g, '\\u005c')
    .replace(/--/g, '\\u002d\\u002d')
    .replace(/</g, '\\u003c')
    .replace(/>/g, '\\u003e')
    .replace(/&/g, '\\u0026')
    .replace(/\\"/g, '\\u0022')

/** What WordPress lets through, `wp_allowed_protocols()`; of anything else it would cut the scheme off. */
const linkSchemes = new Set(
  'http https ftp ftps mailto news irc irc6 ircs gopher nntp feed telnet mms rtsp sms svn tel fax xmpp webcal urn'.split(
    ' ',
  ),
)
const fileSchemes = new Set(['http', 'https'])

/** An address that a link may lead to, or `undefined`. */
export const safeLinkUrl = (url: string): string | undefined => safeUrl(url, linkSchemes)

/** An address that a picture or a sound may be loaded from, or `undefined`. */
export const safeFileUrl = (url: string): string | undefined => safeUrl(url, fileSchemes)

// browsers take control characters and line breaks out of an address before they read its scheme
const controlCharacters = /[\p{Cc}]/gu
const scheme = /^([a-z][a-z0-9+.-]*):/i
const nonCharacters = /[\p{Surrogate}\ufffe\uffff]/gu
const unwritable = /[\s<>"`\\^{|}]/gu
/** What the end of an entity looks like, where it stands behind one. */
const endOfEntity = /&(?:[a-z0-9]+|#[0-9]+|#x[a-f0-9]+);/gi

/** Most addresses: nothing in them to change or to ask about. */
const plainUrl = /^https?:\/\/[\w.~:/?#@!$&'()*+,=%-]+$/

function safeUrl(url: string, schemes: ReadonlySet<string>): string | undefined {
  if (plainUrl.test(url)) return url
  const text = url.replace(controlCharacters, '').trim()
  if (text === '') return undefined
  const written = encodeBrackets(text.replace(nonCharacters, '\ufffd'))
    .replace(unwritable, encodeURIComponent)
    .replace(endOfEntity, (entity) => `${entity.slice(0, -1)}%3B`)
  if (written.startsWith('//')) return `https:${written}`
  const [start, name] = scheme.exec(written) ?? []
  // a colon in a relative address would be read as the end of a scheme
  if (start === undefined || name === undefined) return written.replaceAll(':', '%3A')
  return schemes.has(name.toLowerCase()) ? name.toLowerCase() + written.slice(name.length) : undefined
}

/** A bracket might begin a shortcode; in the host it holds an IPv6 address. */
function encodeBrackets(url: string): string {
  const host = /^[a-z]+:\/\/[^/?#]*/i.exec(url)?.[0].length ?? 0
  return url.slice(0, host) + url.slice(host).replaceAll('[', '%5B')
}

/** Whether a safe address leads away from the site at `siteOrigin`. */
export function isExternalUrl(url: string, siteOrigin: string | undefined): boolean {
  if (!/^https?:/.test(url)) return false
  if (siteOrigin === undefined) return true
  return !URL.canParse(url) || new URL(url).host !== new URL(siteOrigin).host
}

/** A heading's anchor in the characters that are safe in an address, an attribute and a block's comment alike. */
export const safeAnchor = (anchor: string): string =>
  trimOf(anchor.replace(/[^\p{L}\p{M}\p{N}_.:%-]+/gu, '-'), '-')
