/** `createdFrom` as `created_from`. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A row as answers have it, for a schema to choose from: names in snake case, times in ISO 8601. */
export const wireRow = (row: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      snakeCase(name),
      value instanceof Date ? value.toISOString() : value,
    ]),
  )
