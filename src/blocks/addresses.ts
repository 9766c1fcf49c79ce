import { decodeHTMLStrict } from 'entities'
import { parse } from 'tldts'

/** An address as it is used, and whether it may lead elsewhere than its writer meant. */
interface RepairedAddress {
  address: string
  doubtful: boolean
}

/** Most addresses: nothing to repair. */
const COMPLETE = /^https?:\/\/(?!https?:?[/\\])[^/\s&\\\p{Cf}][^\s&\\\p{Cf}]*$/iu
const BEFORE = /^[\s\p{Cf}<]+/u
const AFTER = /[\s\p{Cf}>]/u
const SCHEME = /^[a-z][a-z0-9+.-]*:/i

/**
 * Repairs what is certain to be meant: an entity of HTML, a scheme with a slip in its punctuation, a host, an e-mail
 * address or a telephone number without its scheme. What else has no scheme is read as a path on the site.
 */
export function repairAddress(written: string): RepairedAddress {
  if (COMPLETE.test(written)) return { address: written, doubtful: false }
  const address = withScheme(trimmed(decodeEntities(written)))
  return { address, doubtful: !SCHEME.test(address) && !/^[/?#]/.test(address) }
}

function trimmed(text: string): string {
  let end = text.length
  while (end > 0 && AFTER.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end).replace(BEFORE, '')
}

/** Templates write `&` as `&amp;` and `/` as `&#x2F;`, some of them twice. Named entities but that one may be parameters. */
const decodeEntities = (text: string): string =>
  text
    .replace(/&(?:amp;)+/gi, '&')
    .replace(/&#(?:\d{2,6}|x[\da-f]{2,5});/gi, (entity) => decodeHTMLStrict(entity))

function withScheme(text: string): string {
  // `https:/host`, `https//host`, `https:\\host`, `https:// host`, `https://https://host`.
  const web = /^(?:https?(?::\s*[/\\]*|[/\\]{2})\s*)*(https?)(?::\s*[/\\]*|[/\\]{2})\s*(?=[^\s/\\])/i.exec(
    text,
  )
  if (web) return `${web[1]?.toLowerCase()}://${text.slice(web[0].length)}`
  if (/^[/\\]{2}[^/\\]/.test(text)) return `https://${text.slice(2)}`
  const mail = /^(?:mailto:)?[/\\]*([^\s/\\?#@:]+@([^\s/?#@:]+)(?:\?.*)?)$/i.exec(text)
  if (mail && isHost(mail[2] as string)) return `mailto:${mail[1]}`
  if (/^\+\d[\d\s().-]{5,20}$/.test(text)) return `tel:${text.replace(/[^+\d]/g, '')}`
  const [host = ''] = text.split(/[/?#]/, 1)
  return isHost(host) && !(host === text && FILE_NAME.test(text)) ? `https://${text}` : text
}

/** Whether a name ends as the names of hosts do, by the list of public suffixes. */
function isHost(name: string): boolean {
  if (/^www\.[^\s.]+\.[^\s]+$/i.test(name)) return true
  const { domain, isIcann } = parse(name, { extractHostname: false })
  return domain !== null && isIcann === true
}

/** Names of files whose endings are countries or top-level domains as well. */
const FILE_NAME = /\.(md|mov|pl|ps|py|rs|sh|zip)$/i

const pathOf = (address: string): string => address.split(/[?#]/, 1)[0] ?? ''

const extensions = {
  image: /\.(?:png|jpe?g|gif|webp|avif|svg|bmp|heic|tiff?)$/i,
  video: /\.(?:mp4|m4v|webm|ogv|mov)$/i,
  audio: /\.(?:mp3|m4a|ogg|oga|wav|flac|aac|opus)$/i,
}

/** Whether the path of an address ends as pictures, or recordings, do. */
export const hasExtension = (address: string, kind: keyof typeof extensions): boolean =>
  extensions[kind].test(pathOf(address))

/** The last part of an address, as the name of its file. */
export function fileName(address: string): string {
  if (address.startsWith('data:')) return 'File'
  const name =
    pathOf(address)
      .split('/')
      .findLast((part) => part !== '') ?? address
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
