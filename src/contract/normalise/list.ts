import type { Inline, List, ListItem } from '../tree.ts'
import { blockType, isWireList, readListOrder, topLevelBlockType } from './block-types.ts'
import {
  displayedFields,
  firstMember,
  isWireObject,
  listFields,
  textFields,
  type WireObject,
  wireType,
} from './fields.ts'
import { flattenBlock, groupInlineRuns, readInlines } from './inline.ts'
import type { ReadingContext } from './reading.ts'
import { unreadText, warnUnread, warnUnreadMembers } from './unread-members.ts'

export const readList = (wire: WireObject, reading: ReadingContext): List[] => [
  readOneList(wire, reading, false),
]

/** @param ordered whether a nested list without an order of its own is ordered, as the list around it */
function readOneList(wire: WireObject, reading: ReadingContext, ordered: boolean): List {
  const own = readListOrder(wire, reading) ?? ordered
  const items = firstMember(wire, displayedFields.items)
  const start = typeof wire.start === 'string' && wire.start !== '' ? Number(wire.start) : wire.start
  return reading.insideList(() => ({
    type: 'list',
    ordered: own,
    ...(Number.isSafeInteger(start) ? { start: start as number } : {}),
    items: readItems(items, reading, (inner) => readNested(inner, reading, own)),
  }))
}

/** Reads a nested list. The outermost block already warns of unread members. */
function readNested(wire: WireObject, reading: ReadingContext, ordered: boolean): List {
  const list = readOneList(wire, reading, ordered)
  const items = list.items.map(({ content }) => ({ content, lists: [] }))
  warnUnreadMembers(wire, 'list', [{ ...list, items }], reading)
  return list
}

/** A list among the items belongs to the item before it. */
function readItems(items: unknown, reading: ReadingContext, nested: (wire: WireObject) => List): ListItem[] {
  const read: ListItem[] = []
  for (const item of Array.isArray(items) ? items : items === undefined ? [] : [items]) {
    const before = read.at(-1)
    if (before !== undefined && isWireList(item)) before.lists.push(nested(item))
    else read.push(readListItem(item, reading, nested))
  }
  return read
}

type ListReader = (wire: WireObject) => List

const nestedListFields: ReadonlySet<string> = new Set(listFields)

/** An item as a string, inline content, or an object with text and nested lists under any name. */
function readListItem(item: unknown, reading: ReadingContext, nested: ListReader): ListItem {
  reading.count()
  if (!isWireObject(item))
    return Array.isArray(item)
      ? readParts(item, reading, nested)
      : { content: readInlines(item, reading), lists: [] }
  const isListItself: boolean = isWireList(item)
  if (isListItself) return { content: [], lists: [nested(item)] }
  const { parts, names } = ownParts(item)
  const { content, lists } = readParts(parts, reading, nested)
  for (const name in item)
    if (nestedListFields.has(name)) for (const list of listsOf(item[name], item)) lists.push(nested(list))
  if (content.length === 0 && lists.length === 0 && unreadText(item) !== '')
    return readItemWithoutText(item, reading)
  if (names !== undefined) warnUnread(item, 'a list item', [...names, ...listFields], content, reading)
  return { content, lists }
}

/** An item without text in a known place, such as `{"term": "Ebb", "meaning": "The sea falls"}`. */
function readItemWithoutText(item: WireObject, reading: ReadingContext): ListItem {
  reading.warn('list_item_flattened', 'the text of a list item is not where it is read; it is kept')
  return { content: readInlines(unreadText(item), reading), lists: [] }
}

/**
 * The item's own text, and the names that it stood under where nobody else warns of unread members. `children` beside
 * another text is nested.
 */
function ownParts(item: WireObject): { parts: unknown[]; names?: string[] } {
  if (wireType(item) !== undefined && !isListItemPart(item) && !isParagraphPart(item))
    return { parts: [withoutLists(item)] }
  const { value, content, children } = item
  // Some senders number their items under `value`.
  const isOrdinal = typeof value === 'number' && [item.text, content, children].some(hasNestedContent)
  const names = isOrdinal ? ['text', 'content'] : ['text', 'value', 'content']
  const text = firstMember(item, names)
  if (text === undefined || (text === '' && hasNestedContent(children)))
    return { parts: withItemMarks(item, children ?? []), names: [...textFields] }
  const own = names.find((name) => item[name] === text) ?? 'text'
  const inside = own !== 'content' && [content].flat().some(isNestedListPart) ? ['content'] : []
  const nested = [...inside, 'children']
    .map((name) => item[name])
    .filter(hasNestedContent)
    .map((part) => [part].flat())
  const lists = nested.flatMap((items) => (items.some(isWireList) ? items : [{ type: 'list', items }]))
  return {
    parts: [...withItemMarks(item, text), ...lists],
    names: [own, ...inside, 'children', ...(isOrdinal ? ['value'] : [])],
  }
}

/** An item's text with the formats and the address beside it. */
function withItemMarks(item: WireObject, text: unknown): unknown[] {
  const { url, href, title, bold, italic, code } = item
  const parts = [text].flat()
  if ((url ?? href ?? bold ?? italic ?? code) === undefined || parts.some(isBlockPart)) return parts
  const type = url === undefined && href === undefined ? 'text' : 'link'
  return [
    {
      type,
      url,
      href,
      title: type === 'link' ? title : undefined,
      bold,
      italic,
      code,
      ...(Array.isArray(text) && text.length === 0 ? {} : { text }),
    },
  ]
}

/** Whether the value is a text, an item or a non-empty array. A number is only a count. */
const hasNestedContent = (value: unknown): boolean =>
  typeof value === 'string' ? value !== '' : isWireObject(value) || (Array.isArray(value) && value.length > 0)

/** An item without its nested lists, which are read separately. */
const withoutLists = (item: WireObject): WireObject =>
  Object.keys(item).some((name) => nestedListFields.has(name))
    ? Object.fromEntries(Object.entries(item).filter(([name]) => !nestedListFields.has(name)))
    : item

/** Nested lists of an item: one list, several, or the items of one. */
function listsOf(below: unknown, item: WireObject): WireObject[] {
  if (below === undefined || below === null) return []
  if (isWireObject(below)) return [isWireList(below) ? below : { type: 'list', items: [below] }]
  if (!Array.isArray(below)) return [{ type: 'list', items: [below] }]
  if (below.every(isWireList)) return below
  const { ordered, list_type, listType, style, start } = item
  return [{ type: 'list', items: below, ordered, list_type, listType, style, start }]
}

/** Reads an array of inline content, paragraphs and lists. */
function readParts(parts: unknown[], reading: ReadingContext, nested: ListReader): ListItem {
  const content: Inline[] = []
  const lists: List[] = []
  let apart = false
  for (const part of groupInlineRuns(parts, (part) => isWireList(part) || isBlockPart(part))) {
    if (isWireList(part)) {
      lists.push(nested(part))
      apart = true
      continue
    }
    const inlines = flattenBlock(part, 'list item', reading)
    if (inlines.length === 0) continue
    if (lists.length > 0)
      reading.warn(
        'list_item_text_moved',
        'text after a nested list now stands before it: an item has one text',
      )
    if (content.length > 0 && (apart || isBlockPart(part))) content.push({ type: 'text', text: ' ' })
    for (const inline of inlines) content.push(inline)
    apart = isBlockPart(part)
  }
  return { content, lists }
}

const isBlockPart = (part: unknown): boolean => blockType(part) !== undefined

const isNestedListPart = (part: unknown): boolean =>
  isWireList(part) || (isWireObject(part) && isListItemPart(part))

/** A paragraph is read as the item, with its nested content. */
const isParagraphPart = (wire: WireObject): boolean => topLevelBlockType(wire) === 'paragraph'

const isListItemPart = (wire: WireObject): boolean => /^(list_?|task_?)?item$|^li$/.test(wireType(wire) ?? '')
