import { beginning } from '../../text.ts'
import { first, isWire, textFields, typeOf, type Wire } from './fields.ts'
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

/** Whether a value is a list by its type, or without a type by its items. */
export const isList = (value: unknown): value is Wire => {
  const type = typeOf(value)
  return type === undefined
    ? isWire(value) && Array.isArray(value.items) && first(value, textFields) === undefined
    : Object.hasOwn(listTypes, type)
}

/** Whether a list is ordered; `undefined` where it does not say. */
export function readOrder(wire: Wire, reading: Reading): boolean | undefined {
  if (typeof wire.ordered === 'boolean') return wire.ordered
  const written = first(wire, ['ordered', 'list_type', 'listType', 'style'])
  if (typeof written === 'boolean') return written
  const byType = listTypes[typeOf(wire) ?? 'list']
  if (written === undefined) return byType
  const word = typeof written === 'object' ? 'an object' : beginning(String(written), 60).toLowerCase()
  if (/^(true|ordered|number|decimal|ol|1|(lower|upper)[-_ ]?(alpha|latin|roman))/.test(word)) return true
  if (/^(false|unordered|bullet|disc|dash|ul)/.test(word)) return false
  if (byType !== undefined) return byType
  reading.warn('list_order', `list order "${word}" is not known; an unordered list is used`)
  return false
}
