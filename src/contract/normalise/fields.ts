import { truncate } from '../../lib/text.ts'

/** A JSON object as received: any member may be missing or of any type. */
export type WireObject = Readonly<Record<string, unknown>>

export const isWireObject = (value: unknown): value is WireObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

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

/** The name of the member that {@link firstMember} takes. */
export function firstMemberName(wire: WireObject, names: readonly string[]): string | undefined {
  const value = firstMember(wire, names)
  return value === undefined ? undefined : names.find((name) => wire[name] === value)
}

/** A member present but empty; some senders write `false` for that. */
const isEmptyMember = (value: unknown): boolean =>
  value === '' || value === false || (Array.isArray(value) && value.length === 0)

/** The first of these members that is a non-empty string. */
export function firstTextMember(wire: WireObject, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = wire[name]
    if (typeof value === 'string' && value.trim() !== '') return value
  }
  return undefined
}

/** Which member holds the text is open (docs/contract.md). */
export const textFields = ['text', 'value', 'content', 'children'] as const

/** Members that each kind displays, beside the common ones: of each row, the first present is read. */
export const displayedFields = {
  items: ['items', ...textFields],
  rows: ['rows', 'body', 'data', ...textFields],
  header: ['headers', 'header', 'head', 'columns'],
  code: ['value', 'code', 'text', 'content', 'children'],
  alternative: ['alt', 'alt_text', 'altText'],
  quoted: ['paragraphs', ...textFields, 'quote'],
} as const

/** A table's number of columns, which some senders write beside its rows. */
export const isCountOfColumns = (name: string, value: unknown): boolean =>
  name === 'columns' && typeof value === 'number'

/** Members of a citation; all present are read. */
export const citationFields = ['citation', 'cite', 'author', 'attribution', 'source'] as const

/** Members of an item that hold nested lists. */
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

/** `first(wire, textFields)` with static names, which is several times as fast; runs for every node. */
export function textMember(wire: WireObject): unknown {
  const text = wire.text ?? wire.value ?? wire.content ?? wire.children ?? undefined
  return isEmptyMember(text) ? firstMember(wire, textFields) : text
}

/** Characters of a type, far longer than any real one; every warning about its content repeats it. */
const LONGEST_TYPE = 60

const typeFields = ['type', 'kind', 'block_type', 'blockType'] as const

/** A fast path for common types: runs several times per node at intake. */
const commonTypes: ReadonlySet<unknown> = new Set(
  'text bold italic link code paragraph heading list table code_block image quote audio'.split(' '),
)

/** The type in lower snake case: `codeBlock`, `code-block` and `CODE_BLOCK` are one. */
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

/** Removes control characters and collapses white space, for titles, slugs and the like. */
export const collapseToLine = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
