/** Bytes that a document takes in memory for each that its JSON has: read, made into a tree, rendered, and sent. */
export const WEIGHT_OF_DOCUMENT = 4

/** Bytes of the JSON that a value would be, about; for a value that was JSON once, and so has an end. */
export function jsonBytes(value: unknown): number {
  let bytes = 0
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'string') bytes += next.length + 2
    else if (typeof next !== 'object' || next === null) bytes += 4
    else
      for (const [name, inner] of Object.entries(next)) {
        bytes += name.length + 4
        open.push(inner)
      }
  }
  return bytes
}
