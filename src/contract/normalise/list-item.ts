import type { Inline, List, ListItem } from '../tree.ts'
import { blockTypeOf, outerTypeOf } from './block-type.ts'
import { first, isWire, listFields, textFields, typeOf, type Wire } from './fields.ts'
import { readFlattened } from './flattened.ts'
import { readInlines } from './inline.ts'
import { isList } from './list-type.ts'
import { sayPassedOver, textUnread } from './passed-over.ts'
import type { Reading } from './reading.ts'
import { runsOf } from './runs.ts'

type ReadList = (wire: Wire) => List

const below: ReadonlySet<string> = new Set(listFields)

/** An item as a string, as inline content, or as an object whose text and nested lists stand under any name. */
export function readItem(item: unknown, reading: Reading, nested: ReadList): ListItem {
  reading.count()
  if (!isWire(item))
    return Array.isArray(item)
      ? readParts(item, reading, nested)
      : { content: readInlines(item, reading), lists: [] }
  const isListItself: boolean = isList(item)
  if (isListItself) return { content: [], lists: [nested(item)] }
  const { parts, names } = ownParts(item)
  const { content, lists } = readParts(parts, reading, nested)
  for (const name in item)
    if (below.has(name)) for (const list of listsOf(item[name], item)) lists.push(nested(list))
  if (content.length === 0 && lists.length === 0 && textUnread(item) !== '')
    return readMisplaced(item, reading)
  if (names !== undefined) sayPassedOver(item, 'a list item', [...names, ...listFields], content, reading)
  return { content, lists }
}

/** An item without text where that of items is read, such as `{"term": "Ebb", "meaning": "The sea falls"}`. */
function readMisplaced(item: Wire, reading: Reading): ListItem {
  reading.warn('list_item_flattened', 'the text of a list item is not where it is read; it is kept')
  return { content: readInlines(textUnread(item), reading), lists: [] }
}

/**
 * The item's own words, and the names they stood under, where nobody else says what is passed over; what stands under
 * `children` beside another text is nested.
 */
function ownParts(item: Wire): { parts: unknown[]; names?: string[] } {
  if (typeOf(item) !== undefined && !isItem(item) && !isText(item)) return { parts: [withoutLists(item)] }
  const { value, content, children } = item
  // some number their items under `value`
  const isOrdinal = typeof value === 'number' && [item.text, content, children].some(isFilled)
  const names = isOrdinal ? ['text', 'content'] : ['text', 'value', 'content']
  const text = first(item, names)
  if (text === undefined || (text === '' && isFilled(children)))
    return { parts: marked(item, children ?? []), names: [...textFields] }
  const own = names.find((name) => item[name] === text) ?? 'text'
  const inside = own !== 'content' && [content].flat().some(isNested) ? ['content'] : []
  const nested = [...inside, 'children']
    .map((name) => item[name])
    .filter(isFilled)
    .map((part) => [part].flat())
  const lists = nested.flatMap((items) => (items.some(isList) ? items : [{ type: 'list', items }]))
  return {
    parts: [...marked(item, text), ...lists],
    names: [own, ...inside, 'children', ...(isOrdinal ? ['value'] : [])],
  }
}

/** What an item says, with the formats and the address that stand beside it. */
function marked(item: Wire, text: unknown): unknown[] {
  const { url, href, title, bold, italic, code } = item
  const parts = [text].flat()
  if ((url ?? href ?? bold ?? italic ?? code) === undefined || parts.some(isBlock)) return parts
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

/** Whether there is a text, an item or several; a number counts them. */
const isFilled = (value: unknown): boolean =>
  typeof value === 'string' ? value !== '' : isWire(value) || (Array.isArray(value) && value.length > 0)

/** An item without the lists below it, which are read by themselves. */
const withoutLists = (item: Wire): Wire =>
  Object.keys(item).some((name) => below.has(name))
    ? Object.fromEntries(Object.entries(item).filter(([name]) => !below.has(name)))
    : item

/** What stands below an item: a list, several, or the items of one. */
function listsOf(below: unknown, item: Wire): Wire[] {
  if (below === undefined || below === null) return []
  if (isWire(below)) return [isList(below) ? below : { type: 'list', items: [below] }]
  if (!Array.isArray(below)) return [{ type: 'list', items: [below] }]
  if (below.every(isList)) return below
  const { ordered, list_type, listType, style, start } = item
  return [{ type: 'list', items: below, ordered, list_type, listType, style, start }]
}

/** Inline content, paragraphs and lists in one array. */
function readParts(parts: unknown[], reading: Reading, nested: ReadList): ListItem {
  const content: Inline[] = []
  const lists: List[] = []
  let apart = false
  for (const part of runsOf(parts, (part) => isList(part) || isBlock(part))) {
    if (isList(part)) {
      lists.push(nested(part))
      apart = true
      continue
    }
    const inlines = readFlattened(part, 'list item', reading)
    if (inlines.length === 0) continue
    if (lists.length > 0)
      reading.warn(
        'list_item_text_moved',
        'text after a nested list now stands before it: an item has one text',
      )
    if (content.length > 0 && (apart || isBlock(part))) content.push({ type: 'text', text: ' ' })
    for (const inline of inlines) content.push(inline)
    apart = isBlock(part)
  }
  return { content, lists }
}

const isBlock = (part: unknown): boolean => blockTypeOf(part) !== undefined

const isNested = (part: unknown): boolean => isList(part) || (isWire(part) && isItem(part))

/** A paragraph is read as the item that it stands for: with what is nested in it. */
const isText = (wire: Wire): boolean => outerTypeOf(wire) === 'paragraph'

const isItem = (wire: Wire): boolean => /^(list_?|task_?)?item$|^li$/.test(typeOf(wire) ?? '')
