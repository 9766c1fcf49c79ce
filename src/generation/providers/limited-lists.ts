import { z } from 'zod'

/** The first entries of a list. What nobody reads is not looked at: a wrong entry costs as much as a right one, or more. */
export const first = <Entry extends z.ZodType>(most: number, entry: Entry) =>
  z.preprocess((list) => (Array.isArray(list) ? list.slice(0, most) : list), z.array(entry))

/** A list of so many entries at most; a longer one is none. */
export const listOfAtMost = <Entry extends z.ZodType>(most: number, entry: Entry) =>
  z.preprocess((list) => (Array.isArray(list) && list.length > most ? null : list), z.array(entry))

/** Values in an answer that is a file in base64, and little beside it. */
const MOST_VALUES = 10_000

/**
 * An answer that has a file in it, as JSON; undefined where it is none, or has more values than such an answer: 28 MiB of them
 * take seconds, and all the memory there is.
 */
export function parseWithFile(body: string): unknown {
  let left = MOST_VALUES
  for (const mark of ['[', '{', ','])
    for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + 1)) {
      left -= 1
      if (left === 0) return undefined
    }
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
