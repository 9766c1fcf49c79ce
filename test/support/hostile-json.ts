import fc from 'fast-check'

/**
 * Values of JSON that no schema of a member expects. Programs that make a text, a number or a date of one without looking
 * throw, or find what every object of the language has.
 */
export const hostileLeaves: readonly unknown[] = [
  ...['null', 'true', 'false', '0', '-1', '1.5', '1e308', '1e400', '-1e400', '9007199254740993'],
  ...['""', '" "', '"constructor"', '"__proto__"', '"toString"', '"\\ud800"', '"\\u0000"', '"1e400"', '"-1"'],
  ...['[]', '[[]]', '[null]', '[{}]', '[[["x y"]]]', '{}', '{"toString":null}', '[{"toString":null}]'],
  ...['{"toString":null,"valueOf":null}', '{"toString":1,"valueOf":1,"length":-1}', '{"length":1e9}'],
  ...['{"__proto__":{"toString":null}}', '{"constructor":null}', '{"hasOwnProperty":0}', '{"then":{}}'],
  ...['{"type":{"toString":null}}', '{"type":"constructor"}', '{"url":{"toString":null}}', '{"text":{}}'],
].map((json) => JSON.parse(json))

/** Names that every object has a member of. */
export const hostileNames = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty'] as const

/** What stands in a text for a member that every object has. */
export const nativeCode = /\{ \[native code\] \}/

/** An object with this member as its own, whatever it is called. */
const withMember = (members: object, name: string, value: unknown): object => ({ ...members, [name]: value })

/** How many values there are in a value, itself included. */
export const countNodes = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 1
    : Object.values(value).reduce<number>((sum, inner) => sum + countNodes(inner), 1)

/** A copy in which `change` takes the place of one node. @param at in reading order, from 0 up to `countNodes` */
export function withNode(value: unknown, at: number, change: (node: unknown) => unknown): unknown {
  if (at === 0) return change(value)
  if (typeof value !== 'object' || value === null) return value
  let left = at - 1
  const entries = Object.entries(value).map(([name, inner]) => {
    const size = countNodes(inner)
    const changed = left >= 0 && left < size ? withNode(inner, left, change) : inner
    left -= size
    return [name, changed] as const
  })
  if (Array.isArray(value)) return entries.map(([, inner]) => inner)
  return entries.reduce((members, [name, inner]) => withMember(members, name, inner), {})
}

/** A node with a member more, or with its first member under another name. */
const withOddMember = (node: unknown, name: string, leaf: unknown): unknown => {
  if (Array.isArray(node)) return [leaf, ...node]
  return typeof node === 'object' && node !== null ? withMember(node, name, leaf) : leaf
}

const leaf = fc.constantFrom(...hostileLeaves)

/** What puts a hostile value in the place of a node or beside it, under one of these names or one that every object has. */
export const hostileChange = (names: readonly string[]): fc.Arbitrary<(node: unknown) => unknown> =>
  fc.oneof(
    leaf.map((value) => () => value),
    fc.tuple(fc.constantFrom(...names, ...hostileNames), leaf).map(
      ([name, value]) =>
        (node: unknown) =>
          withOddMember(node, name, value),
    ),
  )

/** A value after several such changes, each at a place that is counted as by `withNode`. */
export const withChanges = (
  value: unknown,
  changes: readonly (readonly [at: number, change: (node: unknown) => unknown])[],
): unknown =>
  changes.reduce((changed, [at, change]) => withNode(changed, at % countNodes(changed), change), value)
