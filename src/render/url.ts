import { withoutEdges } from '../text.ts'

/** What WordPress lets through, `wp_allowed_protocols()`; of anything else it would cut the scheme off. */
const linkSchemes = new Set(
  'http https ftp ftps mailto news irc irc6 ircs gopher nntp feed telnet mms rtsp sms svn tel fax xmpp webcal urn'.split(
    ' ',
  ),
)
const fileSchemes = new Set(['http', 'https'])

/** An address that a link may lead to, or `undefined`. */
export const linkUrl = (url: string): string | undefined => safeUrl(url, linkSchemes)

/** An address that a picture or a sound may be loaded from, or `undefined`. */
export const fileUrl = (url: string): string | undefined => safeUrl(url, fileSchemes)

// browsers take control characters and line breaks out of an address before they read its scheme
const ignored = /[\p{Cc}]/gu
const scheme = /^([a-z][a-z0-9+.-]*):/i
const noCharacter = /[\p{Surrogate}\ufffe\uffff]/gu
const unwritable = /[\s<>"`\\^{|}]/gu
/** What the end of an entity looks like, where it stands behind one. */
const endOfEntity = /&(?:[a-z0-9]+|#[0-9]+|#x[a-f0-9]+);/gi

/** Most addresses: nothing in them to change or to ask about. */
const plain = /^https?:\/\/[\w.~:/?#@!$&'()*+,=%-]+$/

function safeUrl(url: string, schemes: ReadonlySet<string>): string | undefined {
  if (plain.test(url)) return url
  const text = url.replace(ignored, '').trim()
  if (text === '') return undefined
  const written = withoutShortcodes(text.replace(noCharacter, '\ufffd'))
    .replace(unwritable, encodeURIComponent)
    .replace(endOfEntity, (entity) => `${entity.slice(0, -1)}%3B`)
  if (written.startsWith('//')) return `https:${written}`
  const [start, name] = scheme.exec(written) ?? []
  // a colon in a relative address would be read as the end of a scheme
  if (start === undefined || name === undefined) return written.replaceAll(':', '%3A')
  return schemes.has(name.toLowerCase()) ? name.toLowerCase() + written.slice(name.length) : undefined
}

/** A bracket might begin a shortcode; in the host it holds an IPv6 address. */
function withoutShortcodes(url: string): string {
  const host = /^[a-z]+:\/\/[^/?#]*/i.exec(url)?.[0].length ?? 0
  return url.slice(0, host) + url.slice(host).replaceAll('[', '%5B')
}

/** Whether a safe address leads away from the site at `siteOrigin`. */
export function leadsOutside(url: string, siteOrigin: string | undefined): boolean {
  if (!/^https?:/.test(url)) return false
  if (siteOrigin === undefined) return true
  return !URL.canParse(url) || new URL(url).host !== new URL(siteOrigin).host
}

/** A heading's anchor in the characters that are safe in an address, an attribute and a block's comment alike. */
export const anchorName = (anchor: string): string =>
  withoutEdges(anchor.replace(/[^\p{L}\p{M}\p{N}_.:%-]+/gu, '-'), '-')
