import { filled, membersOf } from '../blocks/wire.ts'
import { scalarText } from '../lib/text.ts'

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
  return type === 'break'
    ? '\n'
    : type === 'math'
      ? scalarText(latex)
      : scalarText(text) || (inner ? plain(inner) : '')
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

/** Names of members that no reader of a page sees. */
export const settings = new Set(
  'id _id key uid uuid type _type kind object sys metadata __typename nodeType style styles class className color theme variant layout position appearance size align alignment target rel mime mimeType extension tunes'.split(
    ' ',
  ),
)
export const addressNames = ['url', 'href', 'src', 'link', 'source', 'uri', 'filename']
export const labelNames = ['text', 'label', 'title', 'name', 'caption', 'alt']
