import type { List, ListItem } from '../tree.ts'
import { first, shownFields, type Wire } from './fields.ts'
import { readItem } from './list-item.ts'
import { isList, readOrder } from './list-type.ts'
import { sayBlockPassedOver } from './passed-over.ts'
import type { Reading } from './reading.ts'

export const readList = (wire: Wire, reading: Reading): List[] => [readOneList(wire, reading, false)]

/** @param ordered what a nested list is that does not say; the list around it decides */
function readOneList(wire: Wire, reading: Reading, ordered: boolean): List {
  const own = readOrder(wire, reading) ?? ordered
  const items = first(wire, shownFields.items)
  const start = typeof wire.start === 'string' && wire.start !== '' ? Number(wire.start) : wire.start
  return reading.insideList(() => ({
    type: 'list',
    ordered: own,
    ...(Number.isSafeInteger(start) ? { start: start as number } : {}),
    items: readItems(items, reading, (inner) => readNested(inner, reading, own)),
  }))
}

/** What is passed over of the outermost list, its block says. Of lists inside this one nothing is looked at again. */
function readNested(wire: Wire, reading: Reading, ordered: boolean): List {
  const list = readOneList(wire, reading, ordered)
  const items = list.items.map(({ content }) => ({ content, lists: [] }))
  sayBlockPassedOver(wire, 'list', [{ ...list, items }], reading)
  return list
}

/** A list among the items belongs to the item before it. */
function readItems(items: unknown, reading: Reading, nested: (wire: Wire) => List): ListItem[] {
  const read: ListItem[] = []
  for (const item of Array.isArray(items) ? items : items === undefined ? [] : [items]) {
    const before = read.at(-1)
    if (before !== undefined && isList(item)) before.lists.push(nested(item))
    else read.push(readItem(item, reading, nested))
  }
  return read
}
