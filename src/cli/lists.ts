import { exitCodes } from './exit-codes.ts'
import { CommandFailure } from './failure.ts'

/** Most items that the API answers at once. */
const PAGE = 100

interface Page<Item> {
  data: Item[]
  next_cursor: string | null
}

/**
 * Up to so many items of a list, page by page.
 *
 * @param ask for the page of this length that begins at this cursor
 */
export async function listed<Item>(
  limit: number,
  ask: (page: { limit: number; cursor?: string }) => Promise<Page<Item>>,
): Promise<Page<Item>> {
  const data: Item[] = []
  let cursor: string | null | undefined
  do {
    const asked = { limit: Math.min(PAGE, limit - data.length), ...(cursor && { cursor }) }
    const page = await ask(asked)
    data.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null && data.length < limit)
  return { data, next_cursor: cursor }
}

/** The value of `--limit`. @throws CommandFailure */
export function countOf(text: string): number {
  const count = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined
  if (count !== undefined) return count
  throw new CommandFailure(
    exitCodes.usage,
    'bad_number',
    `--limit wants a whole number from 1 to 999999, and not ${text}.`,
  )
}

/** The value of `--overlap`: for how many hours; 0 is not at all. @throws CommandFailure */
export function hoursOf(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text)
  throw new CommandFailure(
    exitCodes.usage,
    'bad_number',
    `--overlap wants a whole number of hours, and not ${text}.`,
  )
}

/** For options that may be given several times, and whose values may be divided by commas. */
export const several = (text: string, before: string[] = []): string[] => [
  ...before,
  ...text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
]

/** `2026-11-22 23:05`, in UTC, of a moment as the API answers it. */
export const moment = (text: string | null): string =>
  text === null ? '' : text.slice(0, 16).replace('T', ' ')

/** Said where a list goes on. */
export const more = ({ next_cursor }: Page<unknown>): string =>
  next_cursor === null ? '' : 'There are more: --limit shows them.'
