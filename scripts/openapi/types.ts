import { isSchema, type Schema } from './compare-schemas.ts'

/** A schema of the description as a type of TypeScript. */
export function typeOf(schema: unknown): string {
  if (!isSchema(schema)) return 'unknown'
  if (typeof schema.$ref === 'string') return nameOf(schema.$ref.split('/').pop() as string)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return union(schema.enum.map((value) => JSON.stringify(value)))
  const parts = [schema.anyOf, schema.oneOf].find(Array.isArray)
  if (parts !== undefined) return union(parts.map(typeOf))
  if (Array.isArray(schema.allOf)) return schema.allOf.map((part) => `(${typeOf(part)})`).join(' & ')
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type })))
  return ofType(schema)
}

function ofType(schema: Schema): string {
  switch (schema.type) {
    case 'string':
      return 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array':
      return `(${typeOf(schema.items)})[]`
    case 'object':
      return ofObject(schema)
    default:
      return 'unknown'
  }
}

/** What is optional may be given as undefined, as it is left out of JSON then. */
function ofObject({ properties, required, additionalProperties }: Schema): string {
  const must = Array.isArray(required) ? required : []
  const members = Object.entries(isSchema(properties) ? properties : {}).map(([name, schema]) =>
    must.includes(name)
      ? `${JSON.stringify(name)}: ${typeOf(schema)}`
      : `${JSON.stringify(name)}?: ${typeOf(schema)} | undefined`,
  )
  if (members.length > 0) return `{ ${members.join('; ')} }`
  return `Record<string, ${isSchema(additionalProperties) ? typeOf(additionalProperties) : 'unknown'}>`
}

const union = (types: string[]): string =>
  [...new Set(types.map((type) => `(${type})`))].join(' | ') || 'never'

/** A name in the description as one in TypeScript. */
export const nameOf = (name: string): string => name.replace(/\W/g, '_')
