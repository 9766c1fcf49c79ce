/** Members of an answer in which the server speaks to a person. */
const spoken = new Set(['message', 'sentence', 'todo', 'seen', 'means'])

/** An answer of the API with its sentences translated. The `body` of an event is what somebody sent, and stays. */
export function translateAnswer(value: unknown, translate: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((entry) => translateAnswer(entry, translate))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (spoken.has(name) && typeof member === 'string') return [name, translate(member)]
      return [name, name === 'body' ? member : translateAnswer(member, translate)]
    }),
  )
}
