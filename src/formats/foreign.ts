import { pageOf } from '../blocks/embed/providers.ts'
import { pixelsOf } from '../blocks/image/index.ts'
import { byName, filled, hasExtension, isAddress, membersOf, setOf } from '../blocks/wire.ts'
import { excerpt, scalarText } from '../lib/text.ts'
import type { FormatWarnings } from './format.ts'

/*
 * Values of foreign documents, where any member may be missing or of any type, and the pieces of ours that adapters put
 * together from them. Recursion is safe: a payload is within the depth limit before an adapter reads it.
 */

export type Members = Readonly<Record<string, unknown>>
export type WireBlock = { readonly type: string } & Members
export type WireInline = { readonly type: string } & Members
/** Running text as the published format spells it. */
export type Running = readonly (string | WireInline)[]

/** A type in one spelling: `bulletList`, `bullet_list` and `bullet-list` are one. */
export const typeName = (name: string): string => name.replace(/[-_. ]/g, '').toLowerCase()

export const elementsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The first of these members that has text. */
export const firstText = (members: Members, names: readonly string[]): string =>
  names.map((name) => scalarText(members[name])).find((text) => text.trim() !== '') ?? ''

/** An address; one without a scheme (`//host/file`) is taken as https. */
export function addressOf(value: unknown): string {
  const address = scalarText(value).trim()
  return address.startsWith('//') ? `https:${address}` : address
}

/** Words, each end of a line as a break. */
export const lines = (text: string): Running =>
  text
    .split(/\r\n?|\n/)
    .flatMap((line, index): (string | WireInline)[] => [
      ...(index === 0 ? [] : [{ type: 'break' }]),
      ...(line === '' ? [] : [line]),
    ])

export const link = (url: string, text: Running | string = url): WireInline => ({ type: 'link', url, text })

export const codeBlock = (value: string, language: string): WireBlock => ({
  type: 'code_block',
  value,
  ...filled({ language }),
})

export const paragraph = (content: Running | string): WireBlock => ({ type: 'paragraph', content })

/** Whether nobody would see anything of it. */
export const isBlank = (text: Running): boolean =>
  text.every((part) => (typeof part === 'string' ? part.trim() === '' : part.type === 'break'))

/** The words alone, with the ends of lines. */
export const plain = (text: unknown): string => {
  if (Array.isArray(text)) return text.map(plain).join('')
  const { type, text: words, content, latex } = membersOf(text)
  const inner = words ?? content
  if (type === 'break') return '\n'
  return type === 'math' ? scalarText(latex) : scalarText(text) || (inner ? plain(inner) : '')
}

/** Text with the formats and links around it, the outermost first. */
export interface Run {
  readonly content: Running
  readonly around: readonly WireInline[]
}

/**
 * Puts neighbours with the same format or link into one: editors cut a text wherever any format changes.
 * @param finish makes the text inside a format as the reader writes it
 */
export function nest(runs: readonly Run[], finish: (text: Running) => unknown = (text) => text): Running {
  const nested: (string | WireInline)[] = []
  for (let at = 0; at < runs.length; ) {
    const run = runs[at] as Run
    const [outer] = run.around
    if (outer === undefined) {
      for (const part of run.content) nested.push(part)
      at += 1
      continue
    }
    let end = at + 1
    while (isSame(runs[end]?.around[0], outer)) end += 1
    const inside = runs.slice(at, end).map(({ content, around }) => ({ content, around: around.slice(1) }))
    const isCode = outer.type === 'code'
    const text = isCode ? plain(inside.map(({ content }) => content)) : finish(nest(inside, finish))
    nested.push({ ...outer, text })
    at = end
  }
  return nested
}

const isSame = (one: WireInline | undefined, other: WireInline): boolean =>
  one?.type === other.type && one.url === other.url && one.title === other.title

/** Blocks as running text, for places that hold nothing else; what has no place there comes back as `others`. */
export function flatten(blocks: readonly WireBlock[]): { text: Running; others: WireBlock[] } {
  const text: (string | WireInline)[] = []
  const others: WireBlock[] = []
  for (const block of blocks) {
    const content = textOfBlock(block)
    if (content === undefined) others.push(block)
    if (content === undefined || content.length === 0) continue
    if (text.length > 0) text.push({ type: 'break' })
    for (const part of content) text.push(part)
  }
  return { text, others }
}

function textOfBlock(block: WireBlock): Running | undefined {
  const { type, content, text, value, latex } = block
  if (type === 'paragraph') return asRunning(content)
  if (type === 'heading') return asRunning(text)
  if (type === 'code_block')
    return lines(scalarText(value)).map((line) =>
      typeof line === 'string' ? { type: 'code', text: line } : line,
    )
  if (type === 'math') return [{ type: 'math', latex }]
  return type === 'list' ? linesOfList(block)?.slice(1) : undefined
}

/** A list as lines with its signs, each behind a break; undefined where more than text stands in it. */
function linesOfList({ items, ordered, start = 1 }: Members, indent = ''): Running | undefined {
  const text: (string | WireInline)[] = []
  for (const [index, item] of elementsOf(items).map(membersOf).entries()) {
    const inner = item.items === undefined ? [] : linesOfList(item, `${indent}\u2003`)
    if (inner === undefined || item.blocks !== undefined) return undefined
    const bullet = ordered === true ? `${Number(start) + index}.` : '•'
    const sign = item.checked === undefined ? bullet : item.checked === true ? '☑' : '☐'
    text.push({ type: 'break' }, `${indent}${sign} `, ...asRunning(item.text), ...inner)
  }
  return text
}

const asRunning = (value: unknown): Running => (Array.isArray(value) ? value : [scalarText(value)])

/** A cell as its format has it: blocks, and what spans and aligns it. */
export interface ForeignCell {
  readonly blocks: readonly WireBlock[]
  readonly isHeader: boolean
  readonly colspan?: unknown
  readonly rowspan?: unknown
  readonly align?: unknown
}

interface ForeignTable {
  readonly headers?: readonly ForeignCell[] | undefined
  readonly rows: readonly (readonly ForeignCell[])[]
  readonly footer?: readonly ForeignCell[] | undefined
  readonly caption?: unknown
}

/**
 * A table. Cells hold running text only, pictures in it and lists as lines: blocks that are no text stand after the table.
 * @param finish makes the text of a cell as the format writes it
 */
export function tableOf(
  { headers: first = [], rows: others, footer = [], caption }: ForeignTable,
  warnings: FormatWarnings,
  finish: (text: Running) => unknown = (text) => text,
): WireBlock[] {
  // What spans from the first row into the next stands in one section with it.
  const isOneRow = first.every(({ rowspan }) => spanOf(rowspan) === undefined)
  const headers = isOneRow ? first : []
  const rows = isOneRow ? others : [first.map((cell) => ({ ...cell, isHeader: true })), ...others]
  const after: WireBlock[] = []
  const cellOf = ({ blocks, isHeader, align = alignIn(blocks), ...spans }: ForeignCell): unknown => {
    const { text: running, others } = flatten(blocks.map(inLine))
    const text = finish(running)
    for (const block of others) after.push(block)
    for (const type of new Set(others.map(({ type }) => type.replace('_', ' '))))
      warnings.changed(`A cell of a table holds text only: its ${type} stands after the table.`)
    const [colspan, rowspan] = [spanOf(spans.colspan), spanOf(spans.rowspan)]
    const members = filled({ colspan, rowspan, align, header: isHeader ? true : undefined })
    return Object.keys(members).length === 0 ? text : { content: text, ...members }
  }
  const table: WireBlock = {
    type: 'table',
    headers: headers.map((cell) => cellOf({ ...cell, isHeader: false })),
    rows: rows.map((row) => row.map(cellOf)),
    ...filled({ footer: footer.map(cellOf), caption }),
  }
  return [...(rows.length + headers.length === 0 ? [] : [table]), ...after]
}

/** A picture as a line of text has it. */
export function inLine(block: WireBlock): WireBlock {
  if (block.type !== 'image') return block
  const { url, alt, title, width, link: target, caption } = block
  const picture = { type: 'inline_image', url, alt: alt || title, ...filled({ width }) }
  const below = typeof caption === 'string' ? [caption] : elementsOf(caption)
  return paragraph([
    ...(target === undefined ? [picture] : [link(scalarText(target), [picture])]),
    ...(below.length === 0 ? [] : [{ type: 'break' }, ...(below as Running)]),
  ])
}

/** How the first paragraph stands, where what it is in has no other alignment. */
const alignIn = ([first]: readonly WireBlock[]): unknown =>
  first?.type === 'paragraph' ? first.align : undefined

const spanOf = (value: unknown): number | undefined => {
  const span = Number(scalarText(value))
  return Number.isInteger(span) && span > 1 && span <= 1_000 ? span : undefined
}

export interface ForeignItem {
  readonly blocks: WireBlock[]
  readonly checked: boolean | undefined
}

/** A list, where it has items. */
export function listOf(items: readonly ForeignItem[], ordered: boolean, first: unknown): WireBlock[] {
  const start = Math.trunc(Number(scalarText(first) || 1))
  const list = {
    type: 'list',
    ordered,
    ...(ordered && start >= 0 && start !== 1 ? { start } : {}),
    items: items.map(({ blocks, checked }) => listItem(blocks, checked)),
  }
  return items.length === 0 ? [] : [list]
}

const gap = [{ type: 'break' }, { type: 'break' }]

/** An item of a list: the paragraphs that it begins with are its text, and lists in it are its items. */
function listItem(blocks: readonly WireBlock[], checked?: boolean): Members {
  const end = blocks.findIndex(({ type }) => type !== 'paragraph')
  const paragraphs = (end === -1 ? blocks : blocks.slice(0, end)).map(({ content }) => content as Running)
  const [first = ''] = paragraphs
  const inside = blocks.slice(paragraphs.length)
  // The items of a list cannot say with which number they start.
  const list = inside.find(({ type, start }) => type === 'list' && start === undefined)
  const isOfList = ({ type, ordered, start }: WireBlock) =>
    type === 'list' && ordered === list?.ordered && start === undefined
  const items = inside.filter(isOfList).flatMap(({ items }) => elementsOf(items))
  const others = inside.filter((block) => !isOfList(block))
  return {
    text:
      paragraphs.length < 2
        ? first
        : paragraphs.flatMap((text, at) => (at === 0 ? text : [...gap, ...[text].flat()])),
    ...filled({ checked, align: alignIn(blocks), blocks: others }),
    ...(items.length === 0 ? {} : { items, ordered: list?.ordered === true }),
  }
}

/** A callout of the kind that its format has for this name. */
export const calloutOf = (kind: string, title: string, content: readonly WireBlock[]): WireBlock => ({
  type: 'callout',
  kind: kinds.get(kind) ?? 'note',
  ...filled({ title }),
  content,
})

/** A page to embed; for a player, that of what it plays. */
export const embedOf = (address: string, caption: Running = []): WireBlock => ({
  type: 'embed',
  url: pageOf(addressOf(address)),
  ...filled({ caption }),
})

/** A picture, with those members that say something. */
export function imageOf({ url, alt, ...others }: Members & { url: string; alt: string }): WireBlock {
  const [width, height] = [pixelsOf(others.width), pixelsOf(others.height)]
  return { type: 'image', url, alt, ...filled({ ...others, width, height }) }
}

/*
 * What has no counterpart.
 */

/** Names of members that no reader of a page sees. */
export const settings = setOf(
  'id _id key uid uuid type _type kind object sys metadata __typename nodeType style styles class className color theme variant layout position appearance size align alignment target rel mime mimeType extension tunes',
)
export const addressNames = ['url', 'href', 'src', 'link', 'source', 'uri', 'filename']
export const labelNames = ['text', 'label', 'title', 'name', 'caption', 'alt']

/** Reads a member that is itself a document of the format. */
export type ReadNested = (value: unknown) => readonly WireBlock[] | undefined

/** What readers would miss of a thing, in its order, and its other members, which may be settings or values. */
export function partsOfThing(thing: unknown, nested: ReadNested = () => undefined) {
  const blocks: WireBlock[] = []
  const left: string[] = []
  const visit = (key: string, value: unknown): void => {
    const inner = nested(value)
    if (inner !== undefined) for (const block of inner) blocks.push(block)
    else if (Array.isArray(value)) for (const element of value) visit(key, element)
    else if (typeof value === 'string') visitText(key, value)
    else if (typeof value === 'number') left.push(`${key} ${value}`)
    else visitMembers(membersOf(value))
  }
  const visitText = (key: string, text: string): void => {
    if (text.trim() === '') return
    const url = addressOf(text)
    if (isAddress(url)) blocks.push(isPicture(key, url) ? imageOf({ url, alt: '' }) : paragraph([link(url)]))
    else if (wordNames.test(key) || /\S\s+\S/.test(text)) blocks.push(paragraph(lines(text)))
    else left.push(`${key} “${excerpt(text, 100)}”`)
  }
  const visitMembers = (members: Members): void => {
    const used = new Set<string>()
    const address = addressNames.find((key) => isTarget(addressOf(members[key])))
    const label = labelNames.find((key) => scalarText(members[key]).trim() !== '')
    if (address !== undefined && label !== undefined) {
      const url = addressOf(members[address])
      const words = scalarText(members[label])
      blocks.push(
        isPicture(address, url) ? imageOf({ url, alt: words }) : paragraph([link(url, lines(words))]),
      )
      used.add(address).add(label)
    }
    if (typeof members.code === 'string') {
      blocks.push(codeBlock(members.code, firstText(members, ['language', 'lang'])))
      used.add('code').add('language').add('lang')
    }
    for (const [key, value] of Object.entries(members))
      if (!used.has(key) && !settings.has(key) && !/^(?:_|data-)/.test(key)) visit(key, value)
  }
  visit('', thing)
  return { blocks, left }
}

/** A full address, or one within a site, which is one by the name of its member. */
const isTarget = (address: string): boolean =>
  isAddress(address) || /^(?:\/|#|mailto:|tel:)\S+$/i.test(address)

const isPicture = (key: string, url: string): boolean =>
  hasExtension(url, 'image') || /image|img|picture|photo|poster|thumbnail/i.test(key)

/** Members that hold words even where these are one word. */
export const wordNames =
  /(?:alt|answer|author|body|caption|content|description|excerpt|header|heading|headline|label|message|note|question|quote|subtitle|summary|tagline|text|title|value)$/i

const kinds = byName({
  'tip success positive': 'tip',
  'warning caution': 'warning',
  'error danger important critical': 'important',
})
