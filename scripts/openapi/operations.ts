/** A JSON Schema, or another part of a description. */
export type Schema = Record<string, unknown>

export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const

/** Every operation of a description. */
export const operationsOf = (document: Schema) =>
  Object.entries(at(document.paths)).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = at(item)[method]
      return isSchema(operation) ? [{ name: `${method.toUpperCase()} ${path}`, path, method, operation }] : []
    }),
  )

const at = (value: unknown): Schema => (isSchema(value) ? value : {})
