import type { Inline, List, ListItem } from '../tree.ts'
import { first, isWire, textFields, typeOf, type Wire } from './fields.ts'
import { readInlines } from './inline.ts'
import { plainText } from './plain-text.ts'
import type { Reading } from './reading.ts'

/** Every way to say that a thing is a list; the value says which, where the name does. */
export const listTypes: Readonly<Record<string, boolean | undefined>> = {
  list: undefined,
  ordered_list: true,
  numbered_list: true,
  ol: true,
  unordered_list: false,
  bullet_list: false,
  bulleted_list: false,
  ul: false,
}

export const readList = (wire: Wire, reading: Reading): List[] => [readOneList(wire, reading, false)]

/** @param ordered what a nested list is that does not say; the list around it decides */
function readOneList(wire: Wire, reading: Reading, ordered: boolean): List {
  const own = readOrder(wire, reading) ?? ordered
  const items = first(wire, ['items', ...textFields])
  return reading.insideList(() => ({
    type: 'list',
    ordered: own,
    ...(Number.isInteger(wire.start) ? { start: wire.start as number } : {}),
    items: (Array.isArray(items) ? items : items === undefined ? [] : [items]).map((item) =>
      readItem(item, reading, own),
    ),
  }))
}

function readOrder(wire: Wire, reading: Reading): boolean | undefined {
  const written = first(wire, ['ordered', 'list_type', 'listType', 'style'])
  if (typeof written === 'boolean') return written
  if (written === undefined) return listTypes[typeOf(wire) ?? 'list']
  const word = String(written).toLowerCase()
  if (/^(true|ordered|number|decimal|ol|1)/.test(word)) return true
  if (/^(false|unordered|bullet|disc|dash|ul)/.test(word)) return false
  reading.warn('list_order', `list order ${JSON.stringify(word)} is not known; an unordered list is used`)
  return false
}

/** An item as a string, as inline content, or as an object whose text and nested lists stand under any name. */
function readItem(item: unknown, reading: Reading, ordered: boolean): ListItem {
  reading.count()
  if (Array.isArray(item)) return readParts(item, reading, ordered)
  if (!isWire(item)) return { content: readInlines(item, reading), lists: [] }
  if (isList(item)) return { content: [], lists: [readOneList(item, reading, ordered)] }
  const nested = first(item, ['items', 'list', 'lists', 'nested', 'sublist', 'sub_items'])
  const text = readText(item, reading, ordered)
  if (nested === undefined) return text
  return { content: text.content, lists: [...text.lists, ...readNested(nested, item, reading, ordered)] }
}

/** The item's own words; `children` beside another text holds what is nested. */
function readText(item: Wire, reading: Reading, ordered: boolean): ListItem {
  const own = first(item, ['text', 'value', 'content'])
  const children = item.children
  if (typeOf(item) !== undefined && !isItem(item)) return readParts([item], reading, ordered)
  const parts = [own ?? [], own === undefined ? (children ?? []) : nestedOnly(children)].flat()
  return readParts(parts, reading, ordered)
}

/** Children beside a text: bare items are a list of their own. */
const nestedOnly = (children: unknown): unknown[] => {
  if (!Array.isArray(children) || children.length === 0) return []
  return children.some(isList) ? children : [{ type: 'list', items: children }]
}

function readNested(nested: unknown, item: Wire, reading: Reading, ordered: boolean): List[] {
  if (isWire(nested)) return [readOneList(nested, reading, ordered)]
  if (!Array.isArray(nested)) return [readOneList({ items: [nested] }, reading, ordered)]
  if (nested.length === 0) return []
  if (nested.every(isList)) return nested.map((list) => readOneList(list, reading, ordered))
  return [readOneList({ ...item, type: 'list', items: nested }, reading, ordered)]
}

/** Inline content, paragraphs and lists in one array. */
function readParts(parts: unknown[], reading: Reading, ordered: boolean): ListItem {
  const content: Inline[] = []
  const lists: List[] = []
  const add = (inlines: Inline[], apart: boolean) => {
    if (apart && content.length > 0 && inlines.length > 0) content.push({ type: 'text', text: ' ' })
    content.push(...inlines)
  }
  for (const part of parts) {
    if (isList(part)) {
      lists.push(readOneList(part, reading, ordered))
      continue
    }
    const type = typeOf(part)
    if (lists.length > 0 && plainText(part).trim() !== '')
      reading.warn(
        'list_item_text_moved',
        'text after a nested list was moved before it, as an item has one text',
      )
    if (type === 'paragraph' && isWire(part)) add(readInlines(first(part, textFields), reading), true)
    else if (type !== undefined && flattened.has(type)) {
      reading.warn('list_item_flattened', `a ${type} inside a list item is kept as its text`)
      add(readInlines(plainText(part), reading), true)
    } else add(readInlines(part, reading), lists.length > 0)
  }
  return { content, lists }
}

/** Blocks that a list item of the block editor cannot hold. */
const flattened = new Set(['heading', 'table', 'code_block', 'image', 'quote', 'audio'])

const isItem = (wire: Wire): boolean => /^(list_)?item$|^li$/.test(typeOf(wire) ?? '')

const isList = (value: unknown): value is Wire => {
  const type = typeOf(value)
  return type === undefined
    ? isWire(value) && Array.isArray(value.items) && first(value, textFields) === undefined
    : Object.hasOwn(listTypes, type)
}
