import { z } from 'zod'
import { LIMITS } from '../../contract/limits.ts'
import { truncate } from '../../lib/text.ts'
import type { RenderContext } from '../../render/context.ts'
import { blockMarkup } from '../../render/escape.ts'
import type { BlockDefinition, ContentSchemas } from '../define.ts'
import type { Block, Inline } from '../index.ts'
import { leaveOutAlign, textAlignNames } from '../paragraph/index.ts'
import type { Reading } from '../read.ts'
import {
  byName,
  filled,
  firstMember,
  inlineText,
  isForPeople,
  isWireObject,
  listOf,
  nonTextMembers,
  setOf,
  textMember,
  textNames,
  type WireObject,
  wireType,
} from '../wire.ts'

export interface List {
  type: 'list'
  ordered: boolean
  start?: number
  items: ListItem[]
}

export interface ListItem {
  content: Inline[]
  /** Below its text: mostly lists. */
  blocks: Block[]
}

/** Whether a list is ordered, where its type says so. */
const orderByType = byName({
  'ordered_list numbered_list ol': true,
  'unordered_list bullet_list bulleted_list ul': false,
  'task_list todo_list todo to_do check_list checklist': false,
})

/** What an item's lists stand under. */
const nestedNames =
  'items list lists nested sublist sublists sub_list subList sub_lists subLists sub_items subItems nested_items nestedItems nested_list nestedList nested_lists nestedLists'.split(
    ' ',
  )

export const list: BlockDefinition<List, 'items' | 'order' | 'start'> = {
  type: 'list',
  aliases: [...orderByType.keys()],
  names: {
    items: ['items', ...textNames],
    order: ['ordered', 'list_type', 'listType', 'style', 'format'],
    start: ['start'],
  },
  description: 'A list, with bullets or numbered.',
  example: {
    ordered: true,
    start: 3,
    items: ['High water', { text: 'Low water', ordered: false, items: ['neap'] }],
  },
  shape: ({ inlines, block }) => ({
    ordered: z.boolean().optional().describe('Numbered; a list with bullets where left out.'),
    start: z.int().optional().describe('The first number of a numbered list.'),
    items: z.array(entrySchema({ inlines, block })).describe('Each is inline content, or an item as below.'),
  }),
  read: ({ items, order, start }, reading, type) => [
    makeList(items, readOrder(order, type, reading) ?? false, start, reading),
  ],
  render: {
    block: (list, context) => {
      // An empty item stays because it counts in the numbering.
      const inside = list.items.map((item) => blockMarkup('list-item', {}, itemElement(item, context)))
      const element = listElement(list, ' class="wp-block-list"', inside.join('\n\n'))
      const attributes = list.ordered ? { ordered: true, start: list.start } : {}
      return element && blockMarkup('list', attributes, element)
    },
    /** One line: `wpautop` turns a line break inside an item into `<br />`. */
    classic: (list, context) =>
      listElement(list, '', list.items.map((item) => itemElement(item, context)).join('')),
  },
  parts: ({ items }) => items.flatMap(({ content, blocks }) => [content, ...blocks]),
  spoken: ({ items, ordered, start = 1 }) =>
    items.flatMap(({ content, blocks }, index) => [
      ordered ? [{ type: 'text', text: `${start + index}: ` }, ...content] : content,
      ...blocks,
    ]),
}

function listElement({ ordered, start, items }: List, attributes: string, inside: string): string {
  const [tag, first] = ordered ? ['ol', start === undefined ? '' : ` start="${start}"`] : ['ul', '']
  return items.length === 0 ? '' : `<${tag}${first}${attributes}>${inside}</${tag}>`
}

const itemElement = ({ content, blocks }: ListItem, context: RenderContext): string =>
  `<li>${context.inlines(content)}${context.blocks(blocks)}</li>`

function entrySchema({ inlines, block }: ContentSchemas): z.ZodType {
  const entry: z.ZodType = z
    .lazy(() => z.union([z.string(), itemSchema]))
    .meta({
      id: 'ListEntry',
      description: 'Text, or an item that holds more than text.',
      examples: ['High water'],
    })
  const itemSchema = z
    .looseObject({
      text: inlines,
      checked: z.boolean().optional().describe('Of a task: whether it is done. The post shows ☑ or ☐.'),
      items: z.array(entry).optional().describe('A list inside the item.'),
      ordered: z
        .boolean()
        .optional()
        .describe('Whether that list is numbered; where left out, as the one around it.'),
      blocks: z.array(block).optional().describe('What else stands in the item, such as code or a picture.'),
    })
    .meta({
      id: 'ListItem',
      description: `An item of a list that is more than words. Blocks nest ${LIMITS.listDepth} deep at most.`,
      examples: [{ text: 'Spring tide', items: ['new moon', 'full moon'] }],
    })
  return entry
}

/** Whether a list is ordered; `undefined` where it does not say. */
function readOrder(written: unknown, type: string, reading: Reading): boolean | undefined {
  if (typeof written === 'boolean') return written
  const byType = orderByType.get(type)
  if (written === undefined || written === null) return byType
  const word = typeof written === 'object' ? 'an object' : truncate(String(written), 60).toLowerCase()
  if (/^(true|ordered|number|decimal|ol|1|(lower|upper)[-_ ]?(alpha|latin|roman))/.test(word)) return true
  if (/^(false|unordered|bullet|disc|dash|ul|check|task)/.test(word)) return false
  if (byType === undefined)
    reading.warn('list_order', `list order "${word}" is not known; an unordered list is used`)
  return byType ?? false
}

const isList = (value: unknown): value is WireObject => {
  const type = wireType(value)
  return type === 'list' || (type !== undefined && orderByType.has(type))
}

/** A list inside an item. @param around the order of the list around it, which is its own where it does not say */
function readNestedList(wire: WireObject, around: boolean, reading: Reading): Block[] {
  const saysOrder = firstMember(wire, list.names.order) !== undefined || orderByType.has(wireType(wire) ?? '')
  return reading.block(saysOrder ? wire : { ...wire, ordered: around })
}

function makeList(items: unknown, ordered: boolean, start: unknown, reading: Reading): List {
  const first = typeof start === 'string' && start !== '' ? Number(start) : start
  return {
    type: 'list',
    ordered,
    ...filled({ start: Number.isSafeInteger(first) ? (first as number) : undefined }),
    items: reading.nested(() => readItems(items, ordered, reading)),
  }
}

/** A list among the items belongs to the item before it. */
function readItems(written: unknown, ordered: boolean, reading: Reading): ListItem[] {
  const items: ListItem[] = []
  for (const entry of listOf(written).flatMap(itemsByName)) {
    const before = items.at(-1)
    if (before !== undefined && isList(entry)) before.blocks.push(...readNestedList(entry, ordered, reading))
    else items.push(readItem(entry, ordered, reading))
  }
  return items
}

/** Items that are named: `{"Buy": true, "Sell": false}` are two tasks, and `{"Tide": "twice a day"}` is a term. */
function itemsByName(entry: unknown): unknown[] {
  if (!isWireObject(entry) || Object.keys(entry).some(isMember)) return [entry]
  const named = Object.entries(entry)
  if (named.every(([, value]) => typeof value === 'boolean'))
    return named.map(([text, checked]) => ({ text, checked }))
  if (named.every(([name]) => /^\d+$/.test(name))) return Object.values(entry)
  if (!named.every(([name]) => isForPeople(name))) return [entry]
  return named.map(([name, value]) => {
    if (isNested(value)) return { text: name, items: value }
    return { text: [{ type: 'bold', text: name }, value === null ? '' : `: ${value}`] }
  })
}

/** An item as text, blocks, or an object with its text, its lists and what else stands in it. */
function readItem(entry: unknown, ordered: boolean, reading: Reading): ListItem {
  reading.count()
  if (!isWireObject(entry) || !isItem(entry)) return toItem(readParts(entry, ordered, reading))
  leaveOutAlign(entry, 'a list item', reading)
  reading.warnOfUnread(entry, {
    what: 'a list item',
    isKnown: (name) => isMember(name) || name === 'blocks' || isNested(entry[name]),
    free: () => itemMembers.filter((name) => entry[name] === undefined),
  })
  const own = ownName(entry)
  const item = toItem(readParts(own === undefined ? undefined : entry[own], ordered, reading))
  const content = reading.marks(entry, item.content)
  const below = [
    ...textNames.filter((name) => name !== own && isNested(entry[name])),
    ...nestedNames,
    'blocks',
  ]
  const blocks = [
    ...item.blocks,
    ...below.flatMap((name) =>
      name === 'blocks' ? reading.blocks(entry.blocks) : readNested(entry[name], entry, ordered, reading),
    ),
  ]
  const [before, after] = reading.rest(
    entry,
    'a list item',
    (name) =>
      name === own ||
      below.includes(name) ||
      isHow.has(name) ||
      (own !== undefined && typeof entry[name] === 'number'),
    () => inlineText(content),
  )
  const text = content.length === 0 ? [] : [content]
  const whole = toItem([...before, ...text, ...blocks, ...after])
  return { ...whole, content: withTick(entry, whole.content) }
}

/** The member with an item's own text. Some senders number their items under `value`. */
function ownName(entry: WireObject): string | undefined {
  const { value, ...others } = entry
  const texts = typeof value === 'number' && textMember(others) !== undefined ? others : entry
  return textNames.find((name) => texts[name] !== undefined && texts[name] === textMember(texts))
}

const itemTypes = /^(list_?|task_?|todo_?|check_?(list_)?)?item$|^li$|^(p|paragraph|text)$/

/** Whether an object is an item, and not a block or a format that stands in the place of one. */
const isItem = (entry: WireObject): boolean => itemTypes.test(wireType(entry) ?? 'item')

/** Members of an item as they are published. */
const itemMembers = ['text', 'checked', 'items', 'ordered', 'blocks']

/** Members of an item that say what it is or where it leads. */
const isHow = setOf(
  `type url href ordered style list_type listType start checked done completed marks ${textAlignNames.join(' ')}`,
)

/** Whether a member says what an object is, so that its name is no text. */
const isMember = (name: string): boolean =>
  isHow.has(name) || textNames.includes(name) || nestedNames.includes(name) || nonTextMembers.test(name)

/** What stands beside an item's text under another name of text is below it. A number is only a count. */
const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null

/** The lists under one member of an item: a list, several, or the items of one. */
function readNested(below: unknown, item: WireObject, around: boolean, reading: Reading): Block[] {
  const entries = listOf(below)
  if (entries.length === 0) return []
  if (entries.every(isList)) return entries.flatMap((entry) => readNestedList(entry, around, reading))
  const order = firstMember(item, list.names.order)
  return [makeList(entries, readOrder(order, 'list', reading) ?? around, item.start, reading)]
}

/** Parts of an item: its text and what stands amid it. Lists have the order of the list around them. */
function readParts(written: unknown, around: boolean, reading: Reading): (Inline[] | Block)[] {
  if (!Array.isArray(written) || !written.some(isList)) return reading.mixed(written)
  return written.flatMap((part) =>
    isList(part) ? readNestedList(part, around, reading) : reading.mixed([part]),
  )
}

/** Its first running text is the item's own; what follows stands below it. */
function toItem(parts: readonly (Inline[] | Block)[]): ListItem {
  const blocks = parts.map(
    (part): Block => (Array.isArray(part) ? { type: 'paragraph', content: part } : part),
  )
  const [first, ...others] = blocks
  return first?.type === 'paragraph' ? { content: first.content, blocks: others } : { content: [], blocks }
}

/** The tick of a task, as text: the block editor has no list of tasks. */
function withTick({ checked, done, completed }: WireObject, content: Inline[]): Inline[] {
  const tick = checked ?? done ?? completed
  return typeof tick === 'boolean' ? [{ type: 'text', text: tick ? '☑ ' : '☐ ' }, ...content] : content
}
