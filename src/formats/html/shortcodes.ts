/*
 * What the classic editor of WordPress writes in brackets: pictures with captions, players and pages to embed. Bounds on each part
 * keep the time to the length of a text.
 */

const code = /(<\/?(?:pre|code|script|style|textarea)\b)/i
const quote = /(?:["'“”″]|&quot;)?/.source

const captioned = /\[((?:wp_)?caption)\b([^\]]{0,500})\]([\s\S]{0,3000}?)\[\/\1\]/g
const picture = /^\s*(?:<a\s[^<>]{0,3000}>\s*)?<img\s[^<>]{0,5000}>(?:\s*<\/a>)?/i
const player = /\[(video|audio)\b([^\]]{0,2000})\](?:\s*\[\/\1\])?/g
const address = /(https?:(?:(?!&quot;)[^\s<>"'“”″[\]]){1,2000})/.source
const recording = new RegExp(`\\b(?:src|mp4|m4v|webm|ogv|mp3|m4a|ogg|wav)=${quote}${address}`)
const poster = new RegExp(`\\bposter=${quote}${address}`)
const services = 'youtube|vimeo|soundcloud|twitter|tweet'
const embedded = new RegExp(`\\[(embed|${services})\\b[^\\]]{0,300}\\]\\s*${address}\\s*\\[/\\1\\]`, 'g')
const embeddedByName = new RegExp(`\\[(?:${services})[= ](?:url=)?${quote}${address}[^\\]]{0,300}\\]`, 'g')
const known = new RegExp(`\\[(?:(?:wp_)?caption|video|audio|embed|${services})\\b`)

/** HTML with elements in the place of shortcodes that have a counterpart, outside of code. */
export function shortcodesToHtml(markup: string): string {
  if (!known.test(markup)) return markup
  let depth = 0
  const parts = markup.split(code).map((part, index) => {
    if (index % 2 === 0) return depth > 0 ? part : withElements(part)
    depth = Math.max(0, depth + (part.startsWith('</') ? -1 : 1))
    return part
  })
  return parts.join('')
}

const withElements = (markup: string): string =>
  markup
    .replace(captioned, (whole, _name, attributes: string, inside: string) => {
      const [image] = picture.exec(inside) ?? []
      if (image === undefined) return whole
      const [align = ''] = /align(?:left|right|center)/.exec(attributes) ?? []
      const words = inside.slice(image.length).trim() || (/\bcaption="([^"]*)"/.exec(attributes)?.[1] ?? '')
      return `<figure class="${align}">${image}<figcaption>${words}</figcaption></figure>`
    })
    .replace(player, (whole, name: string, attributes: string) => {
      const [, url] = recording.exec(attributes) ?? []
      const [, shown] = poster.exec(attributes) ?? []
      return url === undefined
        ? whole
        : `<${name} src="${url}"${shown ? ` poster="${shown}"` : ''}></${name}>`
    })
    .replace(embedded, '<oembed url="$2"></oembed>')
    .replace(embeddedByName, '<oembed url="$1"></oembed>')

const attribute = /\s{1,20}[\w-]{1,40}=(?:"[^"\]\n]{0,500}"|'[^'\]\n]{0,500}'|[^\s\]"']{1,200})/.source

/** Any other shortcode: by its end, its attributes, or a name that WordPress has itself. */
const shortcode = new RegExp(
  `\\[/[a-z][\\w-]{1,40}\\]|\\[(?:(?:gallery|playlist)|[a-z][\\w-]{0,40}(?:${attribute}){1,20})\\s*/?\\]`,
  'gi',
)

/** The shortcodes in a text that would show as letters. */
export const shortcodesIn = (text: string): readonly string[] =>
  text.includes('[') ? (text.match(shortcode) ?? []) : []
