import { pageOf } from '../blocks/embed/providers.ts'
import { pixelsOf } from '../blocks/image/index.ts'
import { byName, filled, hasExtension, isAddress, membersOf } from '../blocks/wire.ts'
import { excerpt, scalarText } from '../lib/text.ts'
import {
  addressNames,
  addressOf,
  codeBlock,
  elementsOf,
  firstText,
  flatten,
  labelNames,
  lines,
  link,
  type Members,
  paragraph,
  type Running,
  settings,
  type WireBlock,
} from './foreign.ts'
import type { FormatWarnings } from './format.ts'

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
export const imageOf = ({
  url,
  alt,
  width,
  height,
  ...others
}: Members & { url: string; alt: string }): WireBlock => ({
  type: 'image',
  url,
  alt,
  ...filled({ ...others, width: pixelsOf(width), height: pixelsOf(height) }),
})

/** Reads a member that is itself a document of the format. */
export type ReadNested = (value: unknown) => readonly WireBlock[] | undefined

/**
 * A thing without counterpart: its words, pictures, links and code, with warnings of what is left out of it.
 * @param mayBeEmpty nothing is missed where it holds nothing
 */
export function blocksOfThing(
  name: string,
  thing: unknown,
  warnings: FormatWarnings,
  nested?: ReadNested,
  mayBeEmpty = false,
): WireBlock[] {
  const { blocks, left } = partsOfThing(thing, nested)
  const what = `“${excerpt(name, 60)}” has no counterpart`
  if (left.length > 0) warnings.leftOut(`${what}. Left out of it: ${left.join(', ')}.`)
  else if (blocks.length === 0 && !mayBeEmpty) warnings.leftOut(`${what} and no words: it is left out.`)
  else if (blocks.length > 0) warnings.changed(`${what}: its words, pictures and links stand in its place.`)
  return blocks
}

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
