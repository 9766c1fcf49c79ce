/** A JSON Schema as the description has it. */
export type Schema = Record<string, unknown>

/** `request`: what callers send, and nothing may be asked of them that was not. `answer`: what they read. */
export type Direction = 'request' | 'answer'

export interface Comparison {
  direction: Direction
  /** The whole documents, in which `$ref` is looked up. */
  before: Schema
  after: Schema
}

/**
 * What a program that was written for `before` misses or is refused in `after`. What is added is no breach, but for what a
 * request must have now, and for another type in an answer.
 *
 * @param where it stands, for the sentences
 */
export function breaches(
  comparison: Comparison,
  before: Schema,
  after: Schema,
  where: string,
  seen = new Set<string>(),
): string[] {
  const pair = `${before.$ref} ${after.$ref}`
  if (before.$ref !== undefined && after.$ref !== undefined) {
    if (seen.has(pair)) return []
    seen.add(pair)
  }
  const olds = alternatives(comparison.before, before)
  const news = alternatives(comparison.after, after)
  const found = olds.flatMap((old) => {
    const tries = news
      .filter((other) => sameType(old, other))
      .map((other) => ofOne(comparison, old, other, where, new Set(seen)))
    if (tries.length === 0) return [`${where}: ${named(old)} is gone`]
    return tries.reduce((best, other) => (other.length < best.length ? other : best))
  })
  if (comparison.direction === 'request') return found
  const strangers = news.filter((other) => !olds.some((old) => sameType(old, other)))
  return [...found, ...strangers.map((other) => `${where}: may be ${named(other)} now`)]
}

/** Between two schemas of one type. */
function ofOne(
  comparison: Comparison,
  before: Schema,
  after: Schema,
  where: string,
  seen: Set<string>,
): string[] {
  const deeper = (old: unknown, now: unknown, name: string) =>
    isSchema(old) && isSchema(now) ? breaches(comparison, old, now, `${where}${name}`, seen) : []
  return [
    ...values(comparison.direction, before, after, where),
    ...(comparison.direction === 'request' ? bounds(before, after, where) : []),
    ...members(comparison.direction, before, after, where),
    ...Object.entries(propertiesOf(before)).flatMap(([name, old]) =>
      deeper(old, propertiesOf(after)[name], `.${name}`),
    ),
    ...deeper(before.items, after.items, '[]'),
    ...deeper(before.additionalProperties, after.additionalProperties, '.*'),
  ]
}

function values(direction: Direction, before: Schema, after: Schema, where: string): string[] {
  const [olds, news] = [valuesOf(before), valuesOf(after)]
  // An answer may promise more exactly what it is.
  if (olds === undefined)
    return news === undefined || direction === 'answer' ? [] : [`${where}: only ${news.join(', ')} now`]
  if (news === undefined) return []
  return olds.filter((value) => !news.includes(value)).map((value) => `${where}: ${value} is gone`)
}

const valuesOf = ({ enum: list, const: one }: Schema): string[] | undefined =>
  one !== undefined
    ? [JSON.stringify(one)]
    : (list as unknown[] | undefined)?.map((value) => JSON.stringify(value))

const highest = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']
const lowest = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']
const exact = ['pattern', 'format', 'multipleOf', 'uniqueItems']

function bounds(before: Schema, after: Schema, where: string): string[] {
  const narrower = (names: string[], isLess: (now: number, old: number) => boolean, open: number) =>
    names.filter((name) => isLess(Number(after[name] ?? open), Number(before[name] ?? open)))
  const changed = exact.filter((name) => after[name] !== undefined && after[name] !== before[name])
  return [
    ...narrower(highest, (now, old) => now < old, Number.POSITIVE_INFINITY),
    ...narrower(lowest, (now, old) => now > old, Number.NEGATIVE_INFINITY),
    ...changed,
  ].map((name) => `${where}: ${name} is ${after[name]} now, and was ${before[name] ?? 'open'}`)
}

function members(direction: Direction, before: Schema, after: Schema, where: string): string[] {
  const [olds, news] = [propertiesOf(before), propertiesOf(after)]
  const [must, mustNow] = [requiredOf(before), requiredOf(after)]
  const open = direction === 'request' && after.additionalProperties !== false
  const gone = Object.keys(olds).filter((name) => !(name in news) && !open)
  if (direction === 'answer')
    return [
      ...gone.map((name) => `${where}.${name} is gone`),
      ...must
        .filter((name) => name in news && !mustNow.includes(name))
        .map((name) => `${where}.${name} may be missing now`),
    ]
  const closed = before.additionalProperties !== false && after.additionalProperties === false
  return [
    ...gone.map((name) => `${where}.${name} is gone`),
    ...mustNow.filter((name) => !must.includes(name)).map((name) => `${where}.${name} must be given now`),
    ...(closed && before.type === 'object' ? [`${where}: no other members are taken now`] : []),
  ]
}

const propertiesOf = ({ properties }: Schema): Schema => (isSchema(properties) ? properties : {})
const requiredOf = ({ required }: Schema): string[] => (Array.isArray(required) ? required : [])

export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A schema without its references, unions and lists of types: one for each thing that it may be. */
function alternatives(document: Schema, schema: Schema, depth = 0): Schema[] {
  if (depth > 20) return [{}]
  if (typeof schema.$ref === 'string') return alternatives(document, lookUp(document, schema.$ref), depth + 1)
  const { anyOf, oneOf, allOf, ...rest } = schema
  const union = [anyOf, oneOf].find(Array.isArray)
  if (union !== undefined)
    return union
      .flatMap((part: Schema) => alternatives(document, part, depth + 1))
      .map((part) => merged(rest, part))
  if (Array.isArray(allOf))
    return [allOf.flatMap((part: Schema) => alternatives(document, part, depth + 1)).reduce(merged, rest)]
  if (Array.isArray(rest.type)) return rest.type.map((type) => ({ ...rest, type }))
  return [rest]
}

const merged = (one: Schema, other: Schema): Schema => ({
  ...one,
  ...other,
  ...(isSchema(one.properties) && { properties: { ...one.properties, ...propertiesOf(other) } }),
  ...((one.required || other.required) !== undefined && {
    required: [...requiredOf(one), ...requiredOf(other)],
  }),
})

/** What a reference within a document leads to. */
export function lookUp(document: Schema, ref: string): Schema {
  const parts = ref
    .replace(/^#\//, '')
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const found = parts.reduce<unknown>((at, part) => (isSchema(at) ? at[part] : undefined), document)
  if (!isSchema(found)) throw new Error(`${ref} leads nowhere`)
  return found
}

const typeOf = ({ type, const: one, properties }: Schema): unknown =>
  type ?? (one === undefined ? properties && 'object' : typeof one)

/** Integers are numbers; what says nothing of its type is any. */
function sameType(one: Schema, other: Schema): boolean {
  const [a, b] = [typeOf(one), typeOf(other)]
  return a === b || b === undefined || (a === 'integer' && b === 'number')
}

const named = (schema: Schema): string => String(typeOf(schema) ?? 'something')
