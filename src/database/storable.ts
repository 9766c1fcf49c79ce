/**
 * A text as PostgreSQL takes it: without NUL, which no text of it may hold, and without halves of surrogate pairs,
 * which jsonb refuses. What comes from outside may hold both.
 */
export const storableText = (text: string): string =>
  Buffer.from(text, 'utf8').toString('utf8').replaceAll('\0', '\uFFFD')

/** A value as Prisma takes it for a jsonb column; see {@link storableText}. */
export const storableValue = <Value>(value: Value): Value => JSON.parse(storableJson(value))

/** As JSON writes what PostgreSQL does not take: NUL, and halves of surrogate pairs. */
const NOT_STORABLE = /\\u(?:0000|d[89a-f])/

/** A value as JSON that PostgreSQL takes; see {@link storableText}. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value)
  if (!NOT_STORABLE.test(json)) return json
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === 'string') return storableText(member)
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).map(([key, part]) => [storableText(key), part]))
  })
}
