import { truncate } from '../../lib/text.ts'

/** A JSON object as it came: any member may be missing or of any type. */
export type WireObject = Readonly<Record<string, unknown>>

export const isWireObject = (value: unknown): value is WireObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** The first of these members that is there; one with nothing in it only where no other has anything. */
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

/** The name of the member that {@link firstMember} takes. */
export function firstMemberName(wire: WireObject, names: readonly string[]): string | undefined {
  const value = firstMember(wire, names)
  return value === undefined ? undefined : names.find((name) => wire[name] === value)
}

/** A member that is there and has nothing in it; some write `false` for that. */
const isEmptyMember = (value: unknown): boolean =>
  value === '' || value === false || (Array.isArray(value) && value.length === 0)

/** The first of these members that is a string with something in it. */
export function firstTextMember(wire: WireObject, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = wire[name]
    if (typeof value === 'string' && value.trim() !== '') return value
  }
  return undefined
}

/** Which member holds the text is open (docs/contract.md). */
export const textFields = ['text', 'value', 'content', 'children'] as const

/** Where things have what they show, if not in a member that every kind has: of each row, the first that is there is read. */
export const displayedFields = {
  items: ['items', ...textFields],
  rows: ['rows', 'body', 'data', ...textFields],
  header: ['headers', 'header', 'head', 'columns'],
  code: ['value', 'code', 'text', 'content', 'children'],
  alternative: ['alt', 'alt_text', 'altText'],
  quoted: ['paragraphs', ...textFields, 'quote'],
} as const

/** How many columns a table has, as some write beside its rows: no words. */
export const isCountOfColumns = (name: string, value: unknown): boolean =>
  name === 'columns' && typeof value === 'number'

/** Who said what is quoted, and where: all that are there are read. */
export const citationFields = ['citation', 'cite', 'author', 'attribution', 'source'] as const

/** Where the lists inside an item stand, beside its content. */
export const listFields: readonly string[] = [
  'items',
  'list',
  'lists',
  'nested',
  'sublist',
  'sublists',
  'sub_list',
  'subList',
  'sub_items',
  'subItems',
  'subitems',
  'sub_lists',
  'subLists',
  'nested_items',
  'nestedItems',
  'nested_list',
  'nestedList',
  'nested_lists',
  'nestedLists',
]

/** `first(wire, textFields)`, by name: asked of every node, where a name that varies takes several times as long. */
export function textMember(wire: WireObject): unknown {
  const text = wire.text ?? wire.value ?? wire.content ?? wire.children ?? undefined
  return isEmptyMember(text) ? firstMember(wire, textFields) : text
}

/** Far longer than any type has a name; every warning about what is inside repeats it. */
const LONGEST_TYPE = 60

const typeFields = ['type', 'kind', 'block_type', 'blockType'] as const

/** As nearly every type is written: asked of every node several times, where documents are received. */
const commonTypes: ReadonlySet<unknown> = new Set(
  'text bold italic link code paragraph heading list table code_block image quote audio'.split(' '),
)

/** The type as it was written, in lower snake case: `codeBlock`, `code-block` and `CODE_BLOCK` are one. */
export function wireType(value: unknown): string | undefined {
  if (!isWireObject(value)) return undefined
  if (commonTypes.has(value.type)) return value.type as string
  const named = firstTextMember(value, typeFields)
  const written = named === undefined ? undefined : truncate(named, LONGEST_TYPE)
  if (written === undefined || inSnakeCase.test(written)) return written
  return written
    .trim()
    .replace(camelCase, '$1_$2')
    .replace(/[-\s]+/g, '_')
    .toLowerCase()
}

const inSnakeCase = /^[a-z0-9_]+$/
const camelCase = /([a-z])([A-Z])/g

/** A string without control characters, its white space collapsed: for titles, slugs and the like. */
export const collapseToLine = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
