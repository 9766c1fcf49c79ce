import { Command, InvalidArgumentError, Option } from 'commander'
import type { BulkItem, Delivery, ImportLine } from '../client/generated/api.ts'
import { parseLabels } from '../lib/label-list.ts'
import { snakeCase } from '../lib/wire-row.ts'
import { usageError } from './failure.ts'

/** A command whose help ends with examples. A test runs each of them. */
export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name)
  }

  examples(...lines: string[]): this {
    return this.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`)
  }
}

/** Options that choose deliveries or sites: what a list shows, an export takes and a bulk job acts on. */
const FILTERS = [
  ...(['site', 'label', 'search', 'source', 'document', 'status', 'postStatus', 'code'] as const),
  ...(['warning', 'severity', 'createdFrom', 'createdTo', 'state', 'level', 'finding', 'trouble'] as const),
]

export type FilterOptions = Partial<Record<(typeof FILTERS)[number], string | string[]>>

/** The filter of the API for those of these options that were given: `createdFrom` is `created_from`, `site` is `site_id`. */
export const toFilter = (options: FilterOptions) =>
  Object.fromEntries(
    FILTERS.filter((name) => options[name] !== undefined).map((name) => [
      NAMED_BY_ID.has(name) ? `${name}_id` : snakeCase(name),
      options[name],
    ]),
  )

const NAMED_BY_ID: ReadonlySet<string> = new Set(['site', 'source', 'document'])

export const addDeliveryFilterOptions = (command: CliCommand): CliCommand =>
  command
    .option(
      '--status <status>',
      'only those that are waiting, queued, delivering, delivered, held, failed, cancelled, kept or withdrawn; may be given several times',
      collectValues,
    )
    .option('--site <id>', 'only those to this site; may be given several times', collectValues)
    .option('--label <label>', 'only those to sites with this label')
    .option('--source <id>', 'only those that came from this source')
    .option('--document <id>', 'only those of this document, by its UUID or your own reference')
    .option('--search <text>', 'only those with this in the title or the sender’s own reference')
    .option('--code <code>', 'only those that wait or failed for this reason')
    .option('--warning <code>', 'only those that have this warning')
    .option('--severity <severity>', 'only those that have a warning of this severity: note, change or loss')
    .option(
      '--post-status <status>',
      'only those whose post has this status in WordPress, such as draft, trash or deleted; may be given several times',
      collectValues,
    )
    .option('--created-from <moment>', 'only those since then, such as 2026-01-31T00:00:00Z')
    .option('--created-to <moment>', 'only those before then')

export const onLossOption = (): Option =>
  new Option('--on-loss <choice>', 'what becomes of it where something is missing').choices([
    'publish',
    'draft',
    'hold',
  ])

/** How many things the post of a delivery lacks; undefined for none. */
export const lossCount = ({ warnings }: Pick<Delivery, 'warnings'>): number | undefined =>
  warnings.filter(({ severity }) => severity === 'loss').length || undefined

export const addSiteFilterOptions = (command: CliCommand): CliCommand =>
  command
    .option('--label <label>', 'only those with this label')
    .option(
      '--state <state>',
      'only those that are working, down, needs_owner, needs_you, paused or unchecked; may be given several times',
      collectValues,
    )
    .option('--level <level>', 'only those whose last check ended with ok, warning or problem')
    .option('--finding <check>', 'only those where this check of the last report is a warning or a problem')
    .option('--trouble <code>', 'only those in trouble for this reason, such as password_wrong')
    .option('--search <text>', 'only those whose name or address has this in it')

const API_PAGE_SIZE = 100

export interface ApiPage<Item> {
  data: Item[]
  next_cursor: string | null
}

/** Asks for the page of this length that begins at this cursor. */
export type AskForPage<Item> = (page: { limit: number; cursor?: string }) => Promise<ApiPage<Item>>

/** Up to so many items of a list, page by page. */
export async function listPages<Item>(limit: number, ask: AskForPage<Item>): Promise<ApiPage<Item>> {
  const data: Item[] = []
  let cursor: string | null | undefined
  do {
    const request = { limit: Math.min(API_PAGE_SIZE, limit - data.length), ...(cursor && { cursor }) }
    const page = await ask(request)
    data.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null && data.length < limit)
  return { data, next_cursor: cursor }
}

/** The value of `--limit`. @throws CommandFailure */
export const parseCount = (text: string): number =>
  parseNumber(text, /^[1-9]\d{0,5}$/, '--limit wants a whole number from 1 to 999999')

/** The value of `--overlap`: for how many hours; 0 is not at all. @throws CommandFailure */
export const parseHours = (text: string): number =>
  parseNumber(text, /^\d{1,3}$/, '--overlap wants a whole number of hours')

function parseNumber(text: string, form: RegExp, wanted: string): number {
  if (form.test(text)) return Number(text)
  throw usageError('bad_number', `${wanted}, and not ${text}.`)
}

/** For what may be given several times, and whose values may be divided by commas. */
export const collectValues = (text: string, before: string[] = []): string[] => [
  ...before,
  ...requireSome(
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
]

/** For labels, which may be given several times or divided by commas or semicolons. */
export const collectLabels = (text: string, before: string[] = []): string[] => [
  ...before,
  ...requireSome(parseLabels(text)),
]

/** A list without values would choose everything: a shell writes a variable that is not set as nothing. */
function requireSome(values: string[]): string[] {
  if (values.length > 0) return values
  throw new InvalidArgumentError('It is empty: give it a value, or leave it out.')
}

/** `2026-11-22 23:05`, in UTC, of a moment as the API answers it. */
export const formatTime = (text: string | null): string =>
  text === null ? '' : text.slice(0, 16).replace('T', ' ')

/** What became of a thing, or would become of it. */
export const outcomeInWords = (outcome: BulkItem['outcome'] | ImportLine['status'], dryRun: boolean) =>
  (dryRun && dryRunWords[outcome]) || outcome

const dryRunWords: Partial<Record<string, string>> = {
  done: 'would be done',
  would_connect: 'would connect',
  skipped: 'would be skipped',
  refused: 'would be refused',
  failed: 'would fail',
}

/** Ids in examples: of a site, and of anything else. */
export const EXAMPLE_SITE = '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11'
export const EXAMPLE_ID = '018f2c5e-7b1a-7c3d-9e4f-5a6b7c8d9e0f'

/** A command about one thing, which its id names. @param rest of the example in its help */
export const commandById = (command: CliCommand, name: string, thing: string, rest = ''): CliCommand =>
  command
    .command(name)
    .argument(`<${thing}>`, 'its id')
    .examples(`galley ${command.name()} ${name} ${thing === 'site' ? EXAMPLE_SITE : EXAMPLE_ID}${rest}`)
