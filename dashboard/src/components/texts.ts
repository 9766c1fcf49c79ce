/** Options of a choice: each value with its words. */
export const inWords = (words: Readonly<Record<string, () => string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(words).map(([value, say]) => [value, say()]))

/** JSON with a member on each line; other text as it is. */
export function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
