import { truncate } from '../../lib/text.ts'
import type { Block } from '../tree.ts'
import { firstMember, isWireObject, textFields, type WireObject, wireType } from './fields.ts'
import type { ReadingContext } from './reading.ts'

/** List types; the value says whether ordered, where the name does. */
const listTypes: Readonly<Record<string, boolean | undefined>> = {
  list: undefined,
  ordered_list: true,
  numbered_list: true,
  ol: true,
  unordered_list: false,
  bullet_list: false,
  bulleted_list: false,
  ul: false,
}

/** Whether a value is a list by its type, or by its items where it has no type. */
export const isWireList = (value: unknown): value is WireObject => {
  const type = wireType(value)
  return type === undefined
    ? isWireObject(value) && Array.isArray(value.items) && firstMember(value, textFields) === undefined
    : Object.hasOwn(listTypes, type)
}

/** Whether a list is ordered; `undefined` where it does not say. */
export function readListOrder(wire: WireObject, reading: ReadingContext): boolean | undefined {
  if (typeof wire.ordered === 'boolean') return wire.ordered
  const written = firstMember(wire, ['ordered', 'list_type', 'listType', 'style'])
  if (typeof written === 'boolean') return written
  const byType = listTypes[wireType(wire) ?? 'list']
  if (written === undefined) return byType
  const word = typeof written === 'object' ? 'an object' : truncate(String(written), 60).toLowerCase()
  if (/^(true|ordered|number|decimal|ol|1|(lower|upper)[-_ ]?(alpha|latin|roman))/.test(word)) return true
  if (/^(false|unordered|bullet|disc|dash|ul)/.test(word)) return false
  if (byType !== undefined) return byType
  reading.warn('list_order', `list order "${word}" is not known; an unordered list is used`)
  return false
}

/** Synonyms of each block type; the marking of types is open (docs/contract.md). */
const blockTypeSynonyms: Readonly<Record<Block['type'], readonly string[]>> = {
  heading: [1, 2, 3, 4, 5, 6].map((level) => `h${level}`),
  paragraph: ['p'],
  list: Object.keys(listTypes),
  table: [],
  code_block: ['codeblock', 'pre'],
  image: ['picture', 'img'],
  quote: ['blockquote'],
  audio: [],
}

const blockTypes: ReadonlyMap<string, Block['type']> = new Map(
  (Object.entries(blockTypeSynonyms) as [Block['type'], readonly string[]][]).flatMap(([type, words]) =>
    [type, ...words].map((word) => [word, type] as const),
  ),
)

/** Inline content in a text, but blocks where a block is expected. */
const inlineTypesAsBlocks: ReadonlyMap<string, Block['type']> = new Map(
  Object.entries({ text: 'paragraph', code: 'code_block' } as const),
)

/** The type of a block in any place. */
export function blockType(value: unknown): Block['type'] | undefined {
  const type = wireType(value)
  return type === undefined ? undefined : blockTypes.get(type)
}

/** The type where only blocks are expected. */
export function topLevelBlockType(value: unknown): Block['type'] | undefined {
  const type = wireType(value)
  return type === undefined ? undefined : (blockTypes.get(type) ?? inlineTypesAsBlocks.get(type))
}
