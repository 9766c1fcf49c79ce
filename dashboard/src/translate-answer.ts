/** Members of an answer in which the server speaks to a person. */
const spoken = new Set(['message', 'sentence', 'todo', 'seen', 'means'])

/** The code before the sentence of a failure, in the detail of a step. */
export const CODE = /^[a-z]+(?:_[a-z]+)+: /

/** An answer of the API with its sentences translated. The `body` of an event is what somebody sent, and stays. */
export function translateAnswer(value: unknown, translate: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((entry) => translateAnswer(entry, translate))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (spoken.has(name) && typeof member === 'string') return [name, translate(member)]
      if (name === 'detail' && typeof member === 'string') return [name, translate(member.replace(CODE, ''))]
      return [name, name === 'body' ? member : translateAnswer(member, translate)]
    }),
  )
}
