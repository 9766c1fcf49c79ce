import type { Inline, List, ListItem } from '../tree.ts'
import { first, isWire, textOf, typeOf, type Wire } from './fields.ts'
import { readInlines } from './inline.ts'
import { isList } from './list-type.ts'
import { plainText } from './plain-text.ts'
import type { Reading } from './reading.ts'

type ReadList = (wire: Wire) => List

/** An item as a string, as inline content, or as an object whose text and nested lists stand under any name. */
export function readItem(item: unknown, reading: Reading, nested: ReadList): ListItem {
  reading.count()
  if (!isWire(item)) return readParts(Array.isArray(item) ? item : [item], reading, nested)
  if (isList(item)) return { content: [], lists: [nested(item)] }
  const { content, lists } = readParts(ownParts(item), reading, nested)
  const below = first(item, ['items', 'list', 'lists', 'nested', 'sublist', 'sub_items'])
  return { content, lists: [...lists, ...listsOf(below, item).map(nested)] }
}

/** The item's own words; `children` beside another text holds what is nested. */
function ownParts(item: Wire): unknown[] {
  if (typeOf(item) !== undefined && !isItem(item)) return [item]
  const text = first(item, ['text', 'value', 'content'])
  const { children } = item
  if (text === undefined) return [children ?? []].flat()
  if (!Array.isArray(children) || children.length === 0) return [text].flat()
  return [text, children.some(isList) ? children : { type: 'list', items: children }].flat()
}

/** What stands below an item: a list, several, or the items of one. */
function listsOf(below: unknown, item: Wire): Wire[] {
  if (below === undefined) return []
  if (isWire(below)) return [isList(below) ? below : { type: 'list', items: [below] }]
  if (!Array.isArray(below)) return [{ type: 'list', items: [below] }]
  if (below.every(isList)) return below
  return [{ ...item, type: 'list', items: below }]
}

/** Inline content, paragraphs and lists in one array. */
function readParts(parts: unknown[], reading: Reading, nested: ReadList): ListItem {
  const content: Inline[] = []
  const lists: List[] = []
  for (const part of parts) {
    if (isList(part)) {
      lists.push(nested(part))
      continue
    }
    const inlines = readPart(part, reading)
    if (inlines.length === 0) continue
    if (lists.length > 0)
      reading.warn(
        'list_item_text_moved',
        'text after a nested list now stands before it: an item has one text',
      )
    if (content.length > 0 && (lists.length > 0 || blocks.has(typeOf(part) ?? '')))
      content.push({ type: 'text', text: ' ' })
    content.push(...inlines)
  }
  return { content, lists }
}

function readPart(part: unknown, reading: Reading): Inline[] {
  const type = typeOf(part)
  if (type === undefined || !blocks.has(type) || !isWire(part)) return readInlines(part, reading)
  if (type === 'paragraph') return readInlines(textOf(part), reading)
  reading.warn('list_item_flattened', `a ${type} inside a list item is kept as its text`)
  return readInlines(plainText(part), reading)
}

/** Blocks that stand apart from the text before them; an item of the block editor holds none but lists. */
const blocks = new Set(['paragraph', 'heading', 'table', 'code_block', 'image', 'quote', 'audio'])

const isItem = (wire: Wire): boolean => /^(list_)?item$|^li$/.test(typeOf(wire) ?? '')
