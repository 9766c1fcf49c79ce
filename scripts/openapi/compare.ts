import { breaches, type Direction, isSchema, lookUp, type Schema } from './compare-schemas.ts'

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const

/**
 * What a client of one description would miss, or be refused, under a later one; empty where nothing was removed or
 * narrowed.
 */
export function removedOrNarrowed(before: Schema, after: Schema): string[] {
  const found = operationsOf(before).flatMap(({ name, path, method, operation }) => {
    const now = at(at(after.paths)[path])[method]
    if (!isSchema(now)) return [`${name} is gone`]
    const compare = (direction: Direction, old: unknown, other: unknown, where: string) =>
      isSchema(old) && isSchema(other) ? breaches({ direction, before, after }, old, other, where) : []
    return [
      ...roles(operation, now, name),
      ...security(before, operation, after, now, name),
      ...parameters(before, operation, after, now, name, compare),
      ...body(before, operation, after, now, name, compare),
      ...answers(before, operation, after, now, name, compare),
    ]
  })
  return [...new Set(found)]
}

type Compare = (direction: Direction, old: unknown, now: unknown, where: string) => string[]

/** Every operation of a description. */
export const operationsOf = (document: Schema) =>
  Object.entries(at(document.paths)).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = at(item)[method]
      return isSchema(operation) ? [{ name: `${method.toUpperCase()} ${path}`, path, method, operation }] : []
    }),
  )

const at = (value: unknown): Schema => (isSchema(value) ? value : {})
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const whole = (document: Schema, part: unknown): Schema =>
  typeof at(part).$ref === 'string' ? lookUp(document, at(part).$ref as string) : at(part)

const roles = (old: Schema, now: Schema, name: string): string[] =>
  list(old['x-roles'])
    .filter((role) => !list(now['x-roles']).includes(role))
    .map((role) => `${name}: not for the role ${role} any more`)

function security(before: Schema, old: Schema, after: Schema, now: Schema, name: string): string[] {
  const ways = (document: Schema, operation: Schema) =>
    list(operation.security ?? document.security).map((way) => JSON.stringify(way))
  const [olds, news] = [ways(before, old), ways(after, now)]
  if (news.length === 0) return []
  if (olds.length === 0) return [`${name}: needs a key now`]
  return olds.filter((way) => !news.includes(way)).map((way) => `${name}: ${way} opens it no more`)
}

function parameters(
  before: Schema,
  old: Schema,
  after: Schema,
  now: Schema,
  name: string,
  compare: Compare,
): string[] {
  const byName = (document: Schema, operation: Schema) =>
    new Map(
      list(operation.parameters).map((entry) => {
        const parameter = whole(document, entry)
        return [`${parameter.in} ${parameter.name}`, parameter]
      }),
    )
  const [olds, news] = [byName(before, old), byName(after, now)]
  const required = [...news].filter(
    ([key, { required }]) => required === true && olds.get(key)?.required !== true,
  )
  return [
    ...required.map(([key]) => `${name}: ${key} must be given now`),
    ...[...olds].flatMap(([key, parameter]) => {
      const other = news.get(key)
      if (other === undefined) return [`${name}: ${key} is gone`]
      return compare('request', parameter.schema, other.schema, `${name}: ${key}`)
    }),
  ]
}

function body(
  before: Schema,
  old: Schema,
  after: Schema,
  now: Schema,
  name: string,
  compare: Compare,
): string[] {
  const [was, is] = [whole(before, old.requestBody), whole(after, now.requestBody)]
  if (is.required === true && was.required !== true) return [`${name}: a body must be sent now`]
  return contents(was, is, 'request', `${name}: body`, compare)
}

function answers(
  before: Schema,
  old: Schema,
  after: Schema,
  now: Schema,
  name: string,
  compare: Compare,
): string[] {
  return Object.entries(at(old.responses)).flatMap(([status, response]) => {
    const other = at(now.responses)[status]
    if (other === undefined) return [`${name}: ${status} is gone`]
    return contents(whole(before, response), whole(after, other), 'answer', `${name}: ${status}`, compare)
  })
}

const contents = (was: Schema, is: Schema, direction: Direction, where: string, compare: Compare): string[] =>
  Object.entries(at(was.content)).flatMap(([type, media]) => {
    const other = at(at(is.content)[type])
    return type in at(is.content)
      ? compare(direction, at(media).schema, other.schema, where)
      : [`${where}: ${type} is gone`]
  })
