import { decodeHTMLStrict } from 'entities'
import { setOf } from '../blocks/wire.ts'
import { trimOf } from '../lib/text.ts'

/*
 * All escaping. The output equals that of the block editor, with three exceptions that preserve the text:
 * - `[` is `&#91;` in text and code because shortcodes run in both;
 * - the slashes of a URL alone on a line are `&#47;&#47;` because it would become an embed;
 * - a literal `&#91;` is `&amp;&#35;91;` because kses before 7.1 turns `&amp;#91;` into the entity.
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

/** Characters that XML feeds cannot contain, and two that the editor reserves and strips. */
const dropped = /(?![\t\n\v\f\r])\p{Cc}|[\ufeff\ufffc]/gu
const breaks = /[\v\f]/g
const noCharacters = /[\p{Surrogate}\ufffe\uffff]/gu
const noCharacter = /[\p{Surrogate}\ufffe\uffff]/u
const clean = (text: string): string =>
  text.replace(dropped, '').replace(breaks, ' ').replace(noCharacters, '\ufffd')

const space = /[\t\n\r ]+/g

/** Most text needs no escaping, and this test costs half of a replacement. */
const needsTextEscaping = /[^ !-%'-;=?-Z\\-~\u00a1-\ud7ff\ue000-\ufefe\uff00-\ufffb\ufffd]| {2}/
const needsAttributeEscaping = /[^ !#-%'-;=?-Z\]-~\u00a1-\ud7ff\ue000-\ufefe\uff00-\ufffb\ufffd]| {2}/

/*
 * One pass finds all that changes, since rendering spends its time here: white space other than one space and dropped
 * characters, literal entities, and noncharacters.
 */
const spaces = String.raw`(?:[\p{Cc}\ufeff\ufffc]| (?=[\p{Cc} \ufeff\ufffc]))[\p{Cc} \ufeff\ufffc]*`
const entity = String.raw`&#(?=(?:\d+|[xX][\dA-Fa-f]+);)`
const other = String.raw`[\p{Surrogate}\ufffe\uffff]`
const inText = new RegExp(String.raw`${spaces}|${entity}|${other}|[&<>[\u00a0]`, 'gu')
const inAttribute = new RegExp(String.raw`${spaces}|${entity}|${other}|[&<>"\u00a0]`, 'gu')

const replacementFor = (found: string): string =>
  characters[found] ?? (noCharacter.test(found) ? '\ufffd' : /[\t\n\v\f\r ]/.test(found) ? ' ' : '')

/** Escapes text content. White space collapses to one space, as in HTML. */
export const escapeText = (text: string): string =>
  needsTextEscaping.test(text) ? text.replace(inText, replacementFor) : text

/** For titles, excerpts and the texts of a file, where WordPress removes `<T>` as a tag. All else stays, including a sender's entities. */
export const escapeAngleBrackets = (text: string): string => text.replaceAll('<', '&lt;')

/**
 * Shortcodes run in attributes too. `&#91;` does not last there: kses since 7.0 decodes it, and so does the editor of every
 * version on save. An invisible word joiner separates the bracket from a possible shortcode name (the characters of
 * `get_shortcode_regex`), but not from an IPv6 host.
 */
const partShortcodes = (value: string): string =>
  value.replace(/\[(?=[^<>&/[\]\0-\x20=\u2060])(?![\da-f]*:[\da-f:.]*\])/gi, '[\u2060')

/** kses removes a backslash before the closing quote (`wp_kses_stripslashes`). */
const partFromQuote = (value: string): string => (value.endsWith('\\') ? `${value} ` : value)

/** Escapes an attribute within rich text, such as a link's, as the DOM serialises it. */
export const escapeAttribute = (value: string): string =>
  needsAttributeEscaping.test(value)
    ? partFromQuote(partShortcodes(value.replace(inAttribute, replacementFor)))
    : value

/**
 * Escapes an attribute that the editor writes itself: alt text, URLs, anchors. The editor leaves anything alone that looks
 * like an entity (`escapeAmpersand` of `@wordpress/escape-html`), and other output makes the block invalid. So entities are
 * decoded, and a space breaks what still looks like one.
 */
export function escapeBlockAttribute(value: string): string {
  const text = clean(resolveEntities(clean(value))).replace(space, ' ')
  const parted = partFromQuote(partShortcodes(text)).replace(
    /&(?=(?:[a-z0-9]+|#[0-9]+|#x[a-f0-9]+);)/gi,
    '& ',
  )
  return parted.replace(/[&<>"]/g, named)
}

/** Decodes repeatedly because of `&amp;amp;`; five times at most to bound the work. */
function resolveEntities(value: string): string {
  let resolved = value
  for (let times = 0; times < 5 && resolved.includes('&'); times += 1) resolved = decodeHTMLStrict(resolved)
  return resolved
}

/** Escapes code inside `<pre><code>`; white space is preserved. */
export function escapeCode(code: string): string {
  return clean(code.replace(/\r\n?/g, '\n'))
    .replace(/&#(?=(?:\d+|x[\da-f]+);)|[&<>[\u00a0]/gi, named)
    .replace(addressOnLine, '$1&#47;&#47;$2')
}

/** The patterns of `WP_Embed::autoembed`. */
const addressOnLine = /^([ \t\v\f]*https?:)\/\/([^ \t\n\v\f\r<>"]+[ \t\v\f]*)$/gim
const addressAlone = /^(https?:)\/\/([^ \t\n\v\f\r<>"]+)$/i

/** Prevents an embed. @param html a paragraph's whole content, escaped */
export const escapeAutoembed = (html: string): string => html.replace(addressAlone, '$1&#47;&#47;$2')

/**
 * A block between its comments, as the editor saves it (`serializeAttributes`).
 * @param attributes of the comment; those that are undefined are left out
 */
export function blockMarkup(name: string, attributes: object, html: string): string {
  const json = JSON.stringify(attributes)
  const written = json === '{}' ? '' : ` ${/--|[\\<>&]/.test(json) ? escapeJson(json) : json}`
  return `<!-- wp:${name}${written} -->\n${html}\n<!-- /wp:${name} -->`
}

const escapeJson = (json: string): string =>
  json
    .replace(/\\\\/g, '\\u005c')
    .replace(/--/g, '\\u002d\\u002d')
    .replace(/</g, '\\u003c')
    .replace(/>/g, '\\u003e')
    .replace(/&/g, '\\u0026')
    .replace(/\\"/g, '\\u0022')

/** `wp_allowed_protocols()`; WordPress strips any other scheme. */
const linkSchemes = setOf(
  'http https ftp ftps mailto news irc irc6 ircs gopher nntp feed telnet mms rtsp sms svn tel fax xmpp webcal urn',
)
const fileSchemes = new Set(['http', 'https'])

/** The URL of a link, or `undefined` where it is unsafe. */
export const safeLinkUrl = (url: string): string | undefined => safeUrl(url, linkSchemes)

/** The URL of an image or audio file, or `undefined` where it is unsafe. */
export const safeFileUrl = (url: string): string | undefined => safeUrl(url, fileSchemes)

// Browsers strip control characters and line breaks from a URL before they read its scheme; the other two are `dropped`.
const controlCharacters = /[\p{Cc}\ufeff\ufffc]/gu
const scheme = /^([a-z][a-z0-9+.-]*):/i
const unwritable = /[\s<>"`\\^{|}]/gu
const endOfEntity = /&(?:[a-z0-9]+|#[0-9]+|#x[a-f0-9]+);/gi

/** Most URLs: nothing to change or check. */
const plainUrl = /^https?:\/\/[\w.~:/?#@!$&'()*+,=%-]+$/

function safeUrl(url: string, schemes: ReadonlySet<string>): string | undefined {
  if (plainUrl.test(url)) return url
  const text = url.replace(controlCharacters, '').trim()
  if (text === '') return undefined
  const written = encodeBrackets(text.replace(noCharacters, '\ufffd'))
    .replace(unwritable, encodeURIComponent)
    .replace(endOfEntity, (entity) => `${entity.slice(0, -1)}%3B`)
  if (written.startsWith('//')) return `https:${written}`
  const [start, name] = scheme.exec(written) ?? []
  // A colon in a relative URL would end a scheme.
  if (start === undefined || name === undefined) return written.replaceAll(':', '%3A')
  return schemes.has(name.toLowerCase()) ? name.toLowerCase() + written.slice(name.length) : undefined
}

/** Encodes brackets, which may begin a shortcode, except around an IPv6 host. */
function encodeBrackets(url: string): string {
  const host = /^[a-z]+:\/\/[^/?#]*/i.exec(url)?.[0].length ?? 0
  return url.slice(0, host) + url.slice(host).replaceAll('[', '%5B')
}

/** Whether a safe URL leads to another host than `siteOrigin`; true without one. */
export function isExternalUrl(url: string, siteOrigin: string | undefined): boolean {
  if (!/^https?:/.test(url)) return false
  if (siteOrigin === undefined) return true
  return !URL.canParse(url) || new URL(url).host !== new URL(siteOrigin).host
}

/** Reduces an anchor to characters that are safe in URLs, attributes and block comments. */
export const safeAnchor = (anchor: string): string =>
  trimOf(anchor.replace(/[^\p{L}\p{M}\p{N}_.:%-]+/gu, '-'), '-')
