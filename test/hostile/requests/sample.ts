import type { Draw } from '../stage/random.ts'
import { hostileTexts, hostileValues, RawJson, rawValues, shortTexts } from '../stage/texts.ts'
import type { Description, Schema } from './description.ts'

/** Values that a member of this name may well have: without them hardly any request would get past the schemas. */
export type Plausible = (name: string) => unknown

/** A value that the schema allows, or nearly. */
export function sample(
  draw: Draw,
  { components }: Description,
  schema: Schema,
  plausible: Plausible,
): unknown {
  const one = (current: Schema, name: string, depth: number): unknown => {
    if (current.$ref !== undefined)
      return one(components.schemas[current.$ref.slice(current.$ref.lastIndexOf('/') + 1)] ?? {}, name, depth)
    const known = plausible(name)
    if (known !== undefined && draw.chance(0.8)) return known
    const choices = current.anyOf ?? current.oneOf
    if (choices !== undefined) return one(draw.pick(choices), name, depth)
    if (current.allOf !== undefined)
      return Object.assign({}, ...current.allOf.map((part) => one(part, name, depth)))
    if (current.const !== undefined) return current.const
    if (current.enum !== undefined) return draw.pick(current.enum)
    switch (Array.isArray(current.type) ? draw.pick(current.type) : current.type) {
      case 'string':
        return current.format === 'uuid' || current.format === 'guid'
          ? draw.uuid()
          : draw.pick(['a', 'A name', 'example.com', draw.uuid()])
      case 'integer':
      case 'number':
        return draw.pick([current.minimum ?? 1, current.maximum ?? 10, 3])
      case 'boolean':
        return draw.chance(0.5)
      case 'null':
        return null
      case 'array':
        return Array.from({ length: depth > 3 ? 0 : draw.below(4) }, () =>
          one(current.items ?? {}, name, depth + 1),
        )
      default:
        return object(current, depth)
    }
  }
  const object = (current: Schema, depth: number): unknown => {
    const members = Object.entries(current.properties ?? {}).filter(
      ([name]) => current.required?.includes(name) || (depth < 5 && draw.chance(0.4)),
    )
    return Object.fromEntries(members.map(([name, member]) => [name, one(member, name, depth + 1)]))
  }
  return one(schema, '', 0)
}

const everything: readonly (readonly unknown[])[] = [hostileTexts, shortTexts, hostileValues, rawValues]

/** Something that nobody expects in this place. */
export const hostile = (draw: Draw): unknown => draw.pick(draw.pick(everything))

/** The same value with some member exchanged, added, taken away or renamed. */
export function mutate(draw: Draw, value: unknown): unknown {
  if (Array.isArray(value)) {
    if (value.length === 0 || draw.chance(0.3)) return [...value, hostile(draw)]
    const at = draw.below(value.length)
    return value.map((member, n) => (n === at ? mutate(draw, member) : member))
  }
  const open = value !== null && typeof value === 'object' && !(value instanceof RawJson)
  const names = open ? Object.keys(value) : []
  if (names.length === 0 || draw.chance(0.1)) return hostile(draw)
  const members = value as Record<string, unknown>
  const name = draw.pick(names)
  const how = draw.below(10)
  if (how < 6) return { ...members, [name]: draw.chance(0.5) ? hostile(draw) : mutate(draw, members[name]) }
  if (how < 7) return { ...members, [draw.pick([...shortTexts])]: hostile(draw) }
  const { [name]: taken, ...rest } = members
  return how < 9 ? rest : { ...rest, [name.toUpperCase()]: taken }
}
