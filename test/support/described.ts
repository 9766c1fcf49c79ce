import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

interface Description {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>
}

interface Response {
  content?: Record<string, { schema: object }>
}

/** An answer as a client saw it. */
export interface Seen {
  method: string
  /** With its query, if it had one. */
  path: string
  status: number
  body: unknown
}

/**
 * Holds answers of a Galley against its own description at `/openapi.json`: that the status is described, and that the
 * body is as described, with nothing in it that is not. All tests that speak to a Galley ask through this.
 *
 * @returns throws where an answer is not as described
 */
export function describedBy(url: string): (seen: Seen) => Promise<void> {
  let loaded: Promise<(seen: Seen) => void> | undefined
  return async (seen) => {
    if (!seen.path.startsWith('/v1/')) return
    loaded ??= load(url)
    ;(await loaded)(seen)
  }
}

async function load(url: string): Promise<(seen: Seen) => void> {
  const description = closed(await (await fetch(`${url}/openapi.json`)).json()) as Description
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(description, 'galley')
  const compiled = new Map<string, ValidateFunction>()
  const validator = (pointer: string) => {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `galley#${pointer}` })
    compiled.set(pointer, known)
    return known
  }
  const templates = Object.keys(description.paths)
    // A path that is written out comes before one with a parameter in its place.
    .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    .map((template) => ({ template, pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`) }))

  return ({ method, path, status, body }) => {
    const plain = path.replace(/[?#].*/, '')
    const template = templates.find(({ pattern }) => pattern.test(plain))?.template
    const operation = template ? description.paths[template]?.[method.toLowerCase()] : undefined
    // An address or a method that is not there: what is answered is a failure like any other.
    const [at, name] =
      template && operation
        ? [`/paths/${escaped(template)}/${method.toLowerCase()}`, nameOf(operation.responses, status)]
        : ['/paths/~1v1~1keys/get', 'default']
    if (name === undefined || (name === 'default' && status < 400))
      throw new Error(`${method} ${path} answered ${status}, which /openapi.json does not describe`)
    const { content } = operation?.responses[name] ?? {}
    if (content !== undefined && !('application/json' in content)) {
      if (typeof body === 'string') return
      throw new Error(`${method} ${path} answered JSON, where /openapi.json describes a file`)
    }
    const validate = validator(`${at}/responses/${name}/content/application~1json/schema`)
    if (validate(body)) return
    throw new Error(
      `${method} ${path} answered ${status}, and not as /openapi.json describes: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body, null, 1).slice(0, 2_000)}`,
    )
  }
}

const nameOf = (responses: Record<string, Response>, status: number): string | undefined =>
  [String(status), 'default'].find((name) => name in responses)

const escaped = (template: string): string =>
  encodeURIComponent(template.replaceAll('~', '~0').replaceAll('/', '~1'))

/** Lets no object have members that are not described, unless it says that it may. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const members = Object.fromEntries(Object.entries(node).map(([name, member]) => [name, closed(member)]))
  const { type, properties, additionalProperties } = members
  return type === 'object' && properties !== undefined && additionalProperties === undefined
    ? { ...members, additionalProperties: false }
    : members
}
