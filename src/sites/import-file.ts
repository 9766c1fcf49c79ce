import '../contract/issues.ts'
import { CsvError, parse } from 'csv-parse/sync'
import { z } from 'zod'
import { refusal } from '../errors.ts'
import { unescapeFormulas } from '../lib/csv.ts'
import { parseLabels } from '../lib/label-list.ts'
import { type NewSite, newSiteSchema } from './schema.ts'

/** Lines per file; more take longer than a request should. */
export const MAX_ROWS = 500

const REQUIRED = ['url', 'username', 'application_password'] satisfies (keyof NewSite)[]
const COLUMNS = [...REQUIRED, 'name', 'id', 'owner_email', 'labels'] satisfies (keyof NewSite)[]

/** Columns of an exported file beside these, which an import ignores. */
export const exportedStateColumns = [
  'state',
  'trouble',
  'since',
  'next_try',
  'stopped_at',
  'stop_reason',
  'checked_at',
  'check_level',
  'worst_finding',
  'backlog',
  'held',
  'last_delivery_status',
  'last_delivery_at',
  'created_at',
  'updated_at',
] as const

/** Columns per file, including the unnamed ones that a spreadsheet adds. */
const MAX_COLUMNS = 100

/** Characters of the header. */
const MAX_HEADER = 10_000

const WRONG_LENGTH =
  'It has more or fewer values than the first line has columns. Put a value with a comma or semicolon in quotes.'

/** One line of the file: a site to connect, or a mistake. Lines count from 1, the header. */
export type ImportRow = {
  line: number
  labels?: string[]
  /** The other columns, without the password. */
  given?: Record<string, string>
} & (
  | { site: NewSite }
  /** `unverified`: the site that a line without a password names. */
  | { mistake: string; unverified?: SiteIdentity }
)

/** By what a line is known to name a connected site. */
export type SiteIdentity = Pick<NewSite, 'id' | 'url' | 'username'>

const identitySchema = newSiteSchema.pick({ id: true, url: true, username: true }).strip()

const parsedSchema = z.array(
  z.object({
    record: z.record(z.string(), z.string()),
    info: z.object({ lines: z.int(), error: z.instanceof(CsvError).optional() }),
  }),
)

/**
 * Reads a CSV file of sites, with columns in any order and those of an export. What spreadsheets add is accepted: a line `sep=;`,
 * empty columns and blank lines, and a semicolon or tab between the values.
 * @throws GalleyError 422 `CSV_UNREADABLE` where the whole file cannot be read; the message repeats no value
 */
export function readRows(text: string): ImportRow[] {
  // The replacement character means a wrong character set; names would be stored with it.
  if (text.includes('\uFFFD'))
    throw unreadable(
      'it is not UTF-8; save it as "CSV UTF-8", or as CSV with the character set Unicode (UTF-8)',
    )
  const rows = parseCsv(text)
  if (rows.length > MAX_ROWS)
    throw unreadable(`it has more than ${MAX_ROWS} lines, the most that are accepted at a time; split it`)
  return rows.map(({ record, info: { lines: line, error } }) =>
    error === undefined ? { line, ...readRow(record) } : { line, mistake: WRONG_LENGTH },
  )
}

function parseCsv(text: string): z.output<typeof parsedSchema> {
  const [line = '', divider] = /^\uFEFF?sep=([,;\t])\r?\n/i.exec(text) ?? []
  // Also splits files whose lines end in a lone carriage return.
  const [header = ''] = text.slice(line.length).split(/[\r\n]/, 1)
  // The parser allocates for each column before the columns can be counted.
  if (header.length > MAX_HEADER)
    throw unreadable(`the line that names its columns is longer than ${MAX_HEADER} characters`)
  try {
    const parsed: unknown = parse(text, {
      bom: true,
      columns: checkedHeader,
      delimiter: divider ?? [',', ';', '\t'].find((mark) => header.includes(mark)) ?? ',',
      from_line: divider === undefined ? 1 : 2,
      info: true,
      // Lines of another length are reported one by one.
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      // The parser makes an error for each such line, a thousand times as large as the line.
      to: MAX_ROWS + 1,
      trim: true,
    })
    return parsedSchema.parse(parsed)
  } catch (error) {
    // The parser's message may quote the line and so a password.
    if (error instanceof CsvError) throw unreadable(`line ${error.lines ?? '?'} is not CSV (${error.code})`)
    throw error
  }
}

function checkedHeader(header: string[]): string[] {
  const names = header.map((name) => name.trim().toLowerCase().replace(/[ -]/g, '_'))
  const missing = REQUIRED.filter((name) => !names.includes(name))
  if (missing.length > 0)
    throw unreadable(`its first line must name the columns, and lacks ${missing.join(', ')}`)
  const known: readonly string[] = [...COLUMNS, ...exportedStateColumns]
  const unknown = names.filter((name) => name !== '' && !known.includes(name))
  // Without a header, the unknown name may be a value.
  if (unknown.length > 0)
    throw unreadable(`it has columns that are not known; known are ${COLUMNS.join(', ')}`)
  // The parser copies all names for each line of another length.
  const named = names.filter((name) => name !== '')
  if (new Set(named).size < named.length) throw unreadable('its first line names a column twice')
  if (names.length > MAX_COLUMNS) throw unreadable(`it has more than ${MAX_COLUMNS} columns`)
  // A value in an unnamed column is refused with its line, like an unknown member.
  return names.map((name, index) => name || `column ${index + 1}`)
}

/** Characters of a cell of labels: more than all that a site can have. */
const MAX_LABELS_LENGTH = 20_000

function readRow({ labels: cell = '', ...record }: Record<string, string>) {
  if (cell.length > MAX_LABELS_LENGTH)
    return { mistake: `labels: must have at most ${MAX_LABELS_LENGTH} characters` }
  const labels = readLabels(unescapeFormulas(cell))
  const given = Object.fromEntries(
    Object.entries(record)
      .filter(([name, value]) => value !== '' && !(exportedStateColumns as readonly string[]).includes(name))
      .map(([name, value]) => [name, name === 'application_password' ? value : unescapeFormulas(value)]),
  )
  const { application_password: _, ...shown } = given
  const { data, error } = newSiteSchema.safeParse({ ...given, labels })
  if (data !== undefined) return { site: data, labels: data.labels, given: shown }
  const mistake = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
  const row = { mistake, labels, given: shown }
  if (given.application_password !== undefined) return row
  const { data: unverified } = identitySchema.safeParse(given)
  return { ...row, ...(unverified && { unverified }) }
}

/** The labels in a cell: divided by commas or semicolons, or as JSON. */
function readLabels(cell: string): string[] {
  try {
    return z.array(z.string()).parse(JSON.parse(cell))
  } catch {
    return parseLabels(cell)
  }
}

const unreadable = (why: string) =>
  refusal('CSV_UNREADABLE', `The file cannot be imported: ${why}. Nothing was changed.`)
