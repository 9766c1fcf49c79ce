import type { Command } from 'commander'
import { CommandFailure, exitCodes } from './failure.ts'

// What a list shows, an export takes and a bulk job acts on is chosen by the same options.

export interface DeliveryFilter {
  site?: string[]
  label?: string
  source?: string
  status?: string[]
  code?: string
  title?: string
  document?: string
  createdFrom?: string
  createdTo?: string
}

/** Gives a command the options that choose deliveries. */
export const addDeliveryFilterOptions = (command: Command): Command =>
  command
    .option(
      '--status <status>',
      'only those that are queued, delivering, delivered, held, failed or cancelled; may be given several times',
      collectValues,
    )
    .option('--site <id>', 'only those to this site; may be given several times', collectValues)
    .option('--label <label>', 'only those to sites with this label')
    .option('--source <id>', 'only those that came from this source')
    .option('--document <id>', 'only those of this document')
    .option('--title <text>', 'only those whose title has this in it')
    .option('--code <code>', 'only those that wait or failed for this reason')
    .option('--created-from <moment>', 'only those since then, such as 2026-01-31T00:00:00Z')
    .option('--created-to <moment>', 'only those before then')

/** The filter as the API has it. */
export const toDeliveryFilter = ({
  site,
  source,
  document,
  createdFrom,
  createdTo,
  ...same
}: DeliveryFilter) =>
  withoutUndefined({
    site_id: site,
    source_id: source,
    document_id: document,
    created_from: createdFrom,
    created_to: createdTo,
    ...pick(same, ['label', 'status', 'code', 'title']),
  })

export interface SiteFilter {
  site?: string[]
  label?: string
  status?: string[]
  level?: string
  finding?: string
  trouble?: string
  search?: string
}

/** Gives a command the options that choose sites. */
export const addSiteFilterOptions = (command: Command): Command =>
  command
    .option('--label <label>', 'only those with this label')
    .option(
      '--status <status>',
      'only those that are connected, problem, paused, needs_owner or stopped; may be given several times',
      collectValues,
    )
    .option('--level <level>', 'only those whose last check ended with ok, warning or problem')
    .option('--finding <check>', 'only those where this check of the last report is a warning or a problem')
    .option('--trouble <code>', 'only those in trouble for this reason, such as password_wrong')
    .option('--search <text>', 'only those whose name or address has this in it')

/** The filter as the API has it. */
export const toSiteFilter = ({ site, ...same }: SiteFilter) =>
  withoutUndefined({
    site_id: site,
    ...pick(same, ['label', 'status', 'level', 'finding', 'trouble', 'search']),
  })

const pick = <Value extends object>(value: Value, names: (keyof Value & string)[]) =>
  Object.fromEntries(names.map((name) => [name, value[name]]))

const withoutUndefined = (value: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined))

/** Most items that the API answers at once. */
const API_PAGE_SIZE = 100

interface ApiPage<Item> {
  data: Item[]
  next_cursor: string | null
}

/**
 * Up to so many items of a list, page by page.
 *
 * @param ask for the page of this length that begins at this cursor
 */
export async function listPages<Item>(
  limit: number,
  ask: (page: { limit: number; cursor?: string }) => Promise<ApiPage<Item>>,
): Promise<ApiPage<Item>> {
  const data: Item[] = []
  let cursor: string | null | undefined
  do {
    const asked = { limit: Math.min(API_PAGE_SIZE, limit - data.length), ...(cursor && { cursor }) }
    const page = await ask(asked)
    data.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null && data.length < limit)
  return { data, next_cursor: cursor }
}

/** The value of `--limit`. @throws CommandFailure */
export function parseCount(text: string): number {
  const count = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined
  if (count !== undefined) return count
  throw new CommandFailure(
    exitCodes.usage,
    'bad_number',
    `--limit wants a whole number from 1 to 999999, and not ${text}.`,
  )
}

/** The value of `--overlap`: for how many hours; 0 is not at all. @throws CommandFailure */
export function parseHours(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text)
  throw new CommandFailure(
    exitCodes.usage,
    'bad_number',
    `--overlap wants a whole number of hours, and not ${text}.`,
  )
}

/** For options that may be given several times, and whose values may be divided by commas. */
export const collectValues = (text: string, before: string[] = []): string[] => [
  ...before,
  ...text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
]

/** `2026-11-22 23:05`, in UTC, of a moment as the API answers it. */
export const formatTime = (text: string | null): string =>
  text === null ? '' : text.slice(0, 16).replace('T', ' ')

/** Said where a list goes on. */
export const moreHint = ({ next_cursor }: ApiPage<unknown>): string =>
  next_cursor === null ? '' : 'There are more: --limit shows them.'

/** What stands at the end of a command's help. A test runs each of them. */
export const helpExamples = (...lines: string[]): string =>
  `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`
