/** What JSON Schema says of a value, as far as it is walked here. */
export interface JsonSchema {
  $ref?: string
  type?: string
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  additionalProperties?: JsonSchema | boolean
}

const wrong = [null, '', 'x'.repeat(300), [7], { x: 7 }]

/** How deep bodies are filled in. */
const DEPTHS = [0, 1, 2, 3, 4, 5]

/** Every wrong value in every place of a schema, a level at a time. @param named what `$ref` leads to */
export function wrongBodies(schema: JsonSchema, named: Record<string, JsonSchema>): unknown[] {
  const resolved = (given: JsonSchema) =>
    given.$ref === undefined ? given : (named[given.$ref.split('/').pop() as string] as JsonSchema)

  /** The schema filled in `depth` levels down, with `value` in every place there; null where it is not so deep. */
  function filled(given: JsonSchema, depth: number, value: unknown): unknown {
    if (depth === 0) return value
    const { properties = {}, items, anyOf = [], oneOf = [], additionalProperties } = resolved(given)
    const members = Object.entries(properties).flatMap(([name, member]) => {
      const inner = filled(member, depth - 1, value)
      return inner === null ? [] : [[name, inner] as const]
    })
    if (members.length > 0) return Object.fromEntries(members)
    if (items) return inside(filled(items, depth - 1, value), (inner) => [inner])
    if (typeof additionalProperties === 'object')
      return inside(filled(additionalProperties, depth - 1, value), (inner) => ({ name: inner }))
    const options = [...anyOf, ...oneOf].map((option) => filled(option, depth, value))
    return options.find((inner) => inner !== null) ?? null
  }

  return DEPTHS.flatMap((depth) =>
    wrong.map((value) => filled(schema, depth, value)).filter((body) => depth === 0 || body !== null),
  )
}

const inside = (inner: unknown, wrap: (inner: unknown) => unknown): unknown =>
  inner === null ? null : wrap(inner)
