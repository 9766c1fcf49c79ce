import { isSchema, operationsOf, type Schema } from './operations.ts'

const head = `// Made from the description of the API by "npm run generate": what each call takes and answers. Not to be edited.

`

/** The text of the file in src/client/generated, from the description. */
export function clientApi(document: Schema): string {
  const calls = operationsOf(document).filter(({ path }) => path.startsWith('/v1/') || path === '/readyz')
  const { schemas } = document.components as { schemas: Schema }
  const types = Object.entries(schemas)
    // Failures are all of one shape, which the client reads itself.
    .filter(([name]) => !name.startsWith('Failure'))
    .map(([name, schema]) => `export type ${nameOf(name)} = ${typeOf(schema)}\n`)
  const rows = calls.map(
    ({ method, path, operation }) =>
      `  ${operation.operationId}: { method: '${method.toUpperCase()}', path: '${path}', type: ${JSON.stringify(bodyOf(operation)?.[0] ?? null)} },\n`,
  )
  const shapes = calls.map(({ operation }) => `  ${operation.operationId}: ${shape(operation)}\n`)
  return `${head}${types.join('\n')}
/** Where each call goes, and what its body is sent as. */
export const operations = {
${rows.join('')}} as const

export type OperationId = keyof typeof operations

/** What each call takes and answers. */
export interface Operations {
${shapes.join('')}}
`
}

function shape(operation: Schema): string {
  const parameters = (Array.isArray(operation.parameters) ? operation.parameters : []) as Schema[]
  const within = (place: string) => {
    const ofPlace = parameters.filter((parameter) => parameter.in === place)
    return typeOf({
      type: 'object',
      properties: Object.fromEntries(ofPlace.map(({ name, schema }) => [name, schema])),
      required: ofPlace.filter(({ required }) => required === true).map(({ name }) => name),
    })
  }
  const body = bodyOf(operation)
  return `{ path: ${within('path')}; query: ${within('query')}; headers: ${within('header')}; body: ${body === undefined ? 'undefined' : typeOf(body[1])}; answer: ${answerOf(operation)} }`
}

function bodyOf({ requestBody }: Schema): [type: string, schema: unknown] | undefined {
  const content = isSchema(requestBody) && isSchema(requestBody.content) ? requestBody.content : {}
  const [entry] = Object.entries(content)
  return entry && [entry[0], isSchema(entry[1]) ? entry[1].schema : undefined]
}

/** Of all that succeeds; text where it is no JSON. */
function answerOf({ responses }: Schema): string {
  const good = Object.entries(responses as Record<string, Schema>).filter(([status]) =>
    status.startsWith('2'),
  )
  const types = good.map(([, { content }]) => {
    const json = isSchema(content) ? content['application/json'] : undefined
    return isSchema(json) ? typeOf(json.schema) : 'string'
  })
  return [...new Set(types)].join(' | ')
}

/** A schema of the description as a type of TypeScript. */
function typeOf(schema: unknown): string {
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
const nameOf = (name: string): string => name.replace(/\W/g, '_')
