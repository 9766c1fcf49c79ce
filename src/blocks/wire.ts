import { decodeHTMLStrict } from 'entities'
import { parse } from 'tldts'
import { percentDecoded } from '../contract/payload.ts'
import { truncate } from '../lib/text.ts'

/** A JSON object as received: any member may be missing or of any type. */
export type WireObject = Readonly<Record<string, unknown>>

/** The members of an object; none of anything else. */
export const membersOf = (value: unknown): WireObject => (isWireObject(value) ? value : {})

export const isWireObject = (value: unknown): value is WireObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** The words of a text as a set. */
export const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** A table whose keys are names, several of them with spaces between. */
export const byName = <T>(table: Readonly<Record<string, T>>): ReadonlyMap<string, T> =>
  new Map(Object.entries(table).flatMap(([names, value]) => names.split(' ').map((name) => [name, value])))

/** Those members that say something, for what leaves out what is empty. */
export const filled = <Wanted extends object>(members: Wanted) =>
  Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  ) as { [Name in keyof Wanted]?: Exclude<Wanted[Name], undefined> }

/** A value as a list: an array as it is, nothing as an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return value === undefined || value === null ? [] : [value]
}

/** Members that editors keep in an object of their own: `{"type": "heading", "attrs": {"level": 2}}`. */
export function withAttributes(wire: WireObject): WireObject {
  const { attrs, data, props } = wire
  if (attrs === undefined && data === undefined && props === undefined) return wire
  const more = [attrs, data, props].filter(isWireObject)
  return more.length === 0 ? wire : Object.assign({}, ...more, wire)
}

/** The first of these members present, preferring one that is not empty. */
export function firstMember(wire: WireObject, names: readonly string[]): unknown {
  let empty: unknown
  for (const name of names) {
    const value = wire[name]
    if (value === undefined || value === null) continue
    if (!isEmptyMember(value)) return value
    empty ??= value
  }
  return empty
}

/** A member present but empty; some senders write `false` for that. */
export const isEmptyMember = (value: unknown): boolean =>
  value === '' || value === false || (Array.isArray(value) && value.length === 0)

/** The first of these members that is a non-empty string. */
export function firstTextMember(wire: WireObject, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = wire[name]
    if (typeof value === 'string' && value.trim() !== '') return value
  }
  return undefined
}

/** An address as a string, or an object with it; of several the first, of one thing in several sizes the last. */
export function addressOf(url: unknown): string | undefined {
  if (Array.isArray(url)) return Array.isArray(url[0]) ? undefined : addressOf(url[0])
  if (!isWireObject(url)) return typeof url === 'string' && url.trim() !== '' ? url.trim() : undefined
  const own = url.url ?? url.src
  if (own !== undefined && own !== null) return typeof own === 'string' ? addressOf(own) : undefined
  const sizes = Object.values(url).map((size) => (typeof size === 'string' ? size.trim() : ''))
  return sizes.every(isAddress) ? sizes.at(-1) : undefined
}

/** The name of an address that is not where it is read. */
export const strayAddress = (wire: WireObject): string | undefined =>
  Object.keys(wire).find((name) => !textNames.includes(name) && isAddress(wire[name]))

/** Where running text stands: the contract names no member (docs/contract.md). */
export const textNames: readonly string[] = ['text', 'value', 'content', 'children']

/** `firstMember(wire, textNames)` with static names, which is several times as fast; runs for every node. */
export function textMember(wire: WireObject): unknown {
  const text = wire.text ?? wire.value ?? wire.content ?? wire.children ?? undefined
  return isEmptyMember(text) ? firstMember(wire, textNames) : text
}

/** Characters of a type, far longer than any real one; every warning about its content repeats it. */
const LONGEST_TYPE = 60

/** The type in lower snake case: `codeBlock`, `code-block`, `core/code` and `CODE_BLOCK` are one. */
export function wireType(value: unknown): string | undefined {
  if (!isWireObject(value)) return undefined
  const { type } = value
  if (typeof type === 'string' && inSnakeCase.test(type)) return type
  const named = firstTextMember(value, ['type', 'kind', 'block_type', 'blockType'])
  if (named === undefined) return undefined
  return truncate(named, LONGEST_TYPE)
    .trim()
    .replace(camelCase, '$1_$2')
    .replace(/[-\s]+/g, '_')
    .toLowerCase()
}

const inSnakeCase = /^[a-z0-9_]{1,60}$/
const camelCase = /([a-z])([A-Z])/g

/** The type of a block; a picture says by its members what it is. */
export const blockType = (value: unknown): string | undefined =>
  wireType(value) ?? (isWireObject(value) && isPicture(value) ? 'image' : undefined)

export const isPicture = (wire: WireObject): boolean => {
  const url = firstTextMember(wire, ['url', 'src'])
  return url !== undefined && (wire.alt !== undefined || isPictureUrl(url))
}

export const isPictureUrl = (url: string): boolean =>
  hasExtension(url, 'image') || /^\s*data:image\//i.test(url)

/** Whether a text is nothing but a full address. */
export const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\/\S+$/i.test(value.trim())

/** The full addresses anywhere in a value. */
export const addressesIn = (value: unknown): readonly string[] =>
  (JSON.stringify(value) ?? '').match(/https?:\/\/[^\s"\\]+/g) ?? []

/** Two adjacent strings without a format between them are separate texts, whose words must not join. */
export const areWordsApart = (before: unknown, after: unknown): boolean =>
  typeof before === 'string' &&
  typeof after === 'string' &&
  /[\p{L}\p{M}\p{N}.,:;!?)]$/u.test(before) &&
  /^[\p{L}\p{N}]/u.test(after) &&
  !withoutSpaces.test(before.slice(-1) + after.slice(0, 1))

/** Scripts that do not separate words. */
const withoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** Removes control characters and collapses white space, for titles, slugs and the like. */
export const collapseToLine = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, ' ').trim()

/** Whether the name of a member is itself words, as in a glossary or of the numbers of a year. */
export const isForPeople = (name: string): boolean => !/^[@$_]?[a-z][\w$-]*$/.test(name)

/** Members that hold words for people on any object. */
export const humanReadable: ReadonlySet<string> = setOf(
  'text value content children items list lists title subtitle name term definition caption figcaption description ' +
    'summary label heading headline intro note notes footnote footnotes credit credits copyright attribution author ' +
    'source citation cite quote code paragraphs question answer footer foot transcript alt alt_text altText blocks lines ' +
    'headers rows thead tbody tfoot body button buttons cta image images',
)

/** Members that hold names, addresses, styles or measures, not text for people. */
export const nonTextMembers =
  /^(type|kind|.*_?type|blockType|id|.*_id|_?key|url|src|href|.*_url|style|lang|language|level|class|slug|version|width|height|.*_level|.*Level|.*_?align(ment)?|textAlign|dir|direction|format|indent|colou?r|className|variant|theme|target|rel|uu?id)$/

/** Every text inside a value, in order. */
export const plainText = (value: unknown): string => collectTexts(value).text

/** Whether a member may have words. */
export const isWords = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && typeof value !== 'boolean'

/** Whether an object has words for people. */
export function hasWords(wire: WireObject): boolean {
  for (const name in wire) if (!nonTextMembers.test(name) && plainText(wire[name]).trim() !== '') return true
  return false
}

/** As `plainText`, with the number of values visited. */
export function collectTexts(value: unknown): { text: string; values: number } {
  const texts: string[] = []
  let values = 0
  const collect = (part: unknown): void => {
    values += 1
    if (typeof part === 'string' || typeof part === 'number') {
      if (part !== '') texts.push(String(part))
    } else if (Array.isArray(part)) for (const item of part) collect(item)
    else if (isWireObject(part)) for (const name in part) if (!nonTextMembers.test(name)) collect(part[name])
  }
  collect(value)
  return { text: texts.join(' '), values }
}

/** What has words of an inline node in the tree. */
interface InlineWords {
  type: string
  text?: string
  latex?: string
  children?: readonly InlineWords[]
}

/** The words of running text. */
export const inlineText = (all: readonly InlineWords[]): string =>
  all
    .map(({ type, text, latex, children }) =>
      type === 'break' ? '\n' : children ? inlineText(children) : (text ?? latex ?? ''),
    )
    .join('')

/** An address as it is used, and whether it may lead elsewhere than its writer meant. */
interface RepairedAddress {
  address: string
  doubtful: boolean
}

/** Most addresses: nothing to repair. */
const COMPLETE = /^https?:\/\/(?!https?:?[/\\])[^/\s&\\\p{Cf}](?:[^\s&\\\p{Cf}]|&(?!amp;|#))*$/iu
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
  return percentDecoded(name)
}
