import { CsvError, parse } from 'csv-parse/sync'
import { z } from 'zod'
import '../contract/wording.ts'
import { GalleyError } from '../errors.ts'
import { type NewSite, newSiteSchema } from './schema.ts'

/** Lines of one file: more than that take longer than a request should. */
export const MAX_ROWS = 500

const wanted = newSiteSchema.pick({
  url: true,
  username: true,
  application_password: true,
  name: true,
  id: true,
})

/** The columns a file may have; the first three it must. */
const COLUMNS = [...Object.keys(wanted.shape), 'labels']
const REQUIRED = ['url', 'username', 'application_password']

/** Columns of one file, with those that a spreadsheet adds and nobody names. */
const MAX_COLUMNS = 100

/** Characters of the line that names them. */
const MAX_HEADER = 10_000

const WRONG_LENGTH =
  'It has more or fewer values than the first line has columns. Put a value with a comma or semicolon in quotes.'

/** One line of the file: a site to connect, or what is wrong with it. Lines count from 1, the header's. */
export type ImportRow = { line: number } & ({ site: NewSite } | { mistake: string })

const parsedSchema = z.array(
  z.object({
    record: z.record(z.string(), z.string()),
    info: z.object({ lines: z.int(), error: z.instanceof(CsvError).optional() }),
  }),
)

/**
 * Reads a CSV file of sites: a header of `url,username,application_password` and, if wanted, `name`, `id` and `labels`
 * (divided by `;`), in any order; comma, semicolon or tab, quotes as usual; with what spreadsheets add: a line `sep=;`,
 * empty columns and lines of nothing.
 *
 * @throws GalleyError 422 `CSV_UNREADABLE` where the file as a whole cannot be read; a value is never repeated
 */
export function readRows(text: string): ImportRow[] {
  // What stands for bytes that were read in the wrong character set; names would be stored with it.
  if (text.includes('\uFFFD'))
    throw unreadable(
      'it is not UTF-8. Save it as "CSV UTF-8", or as CSV with the character set Unicode (UTF-8)',
    )
  const rows = records(text)
  if (rows.length > MAX_ROWS)
    throw unreadable(`it has more than ${MAX_ROWS} lines, the most that are accepted at a time. Split it`)
  return rows.map(({ record, info: { lines: line, error } }) =>
    error === undefined ? { line, ...readRow(record) } : { line, mistake: WRONG_LENGTH },
  )
}

function records(text: string): z.output<typeof parsedSchema> {
  const [line = '', divider] = /^\uFEFF?sep=([,;\t])\r?\n/i.exec(text) ?? []
  // Also of a file whose lines end in a carriage return alone.
  const [header = ''] = text.slice(line.length).split(/[\r\n]/, 1)
  // Of each of its columns the parser makes something, before anybody could look how many there are.
  if (header.length > MAX_HEADER)
    throw unreadable(`the line that names its columns is longer than ${MAX_HEADER} characters`)
  try {
    const parsed: unknown = parse(text, {
      bom: true,
      columns: checkedHeader,
      delimiter: divider ?? [',', ';', '\t'].find((mark) => header.includes(mark)) ?? ',',
      from_line: divider === undefined ? 1 : 2,
      info: true,
      // A line of another length is reported by itself.
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      // Of each line that has another length an error is made, which is a thousand times as large as the line.
      to: MAX_ROWS + 1,
      trim: true,
    })
    return parsedSchema.parse(parsed)
  } catch (error) {
    // Its own message may quote the line, and so a password.
    if (error instanceof CsvError) throw unreadable(`line ${error.lines ?? '?'} is not CSV (${error.code})`)
    throw error
  }
}

function checkedHeader(header: string[]): string[] {
  const names = header.map((name) => name.trim().toLowerCase().replace(/[ -]/g, '_'))
  const missing = REQUIRED.filter((name) => !names.includes(name))
  if (missing.length > 0)
    throw unreadable(`its first line must name the columns, and lacks ${missing.join(', ')}`)
  const unknown = names.filter((name) => name !== '' && !COLUMNS.includes(name))
  // What stands there may be a value, in a file without a header.
  if (unknown.length > 0)
    throw unreadable(`it has columns that are not known; known are ${COLUMNS.join(', ')}`)
  // The parser copies them all for each line that has another length.
  const named = names.filter((name) => name !== '')
  if (new Set(named).size < named.length) throw unreadable('its first line names a column twice')
  if (names.length > MAX_COLUMNS) throw unreadable(`it has more than ${MAX_COLUMNS} columns`)
  // A value in one without a name is refused with its line, as a member that is not known.
  return names.map((name, index) => name || `column ${index + 1}`)
}

function readRow({
  labels = '',
  ...record
}: Record<string, string>): { site: NewSite } | { mistake: string } {
  const given = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== ''))
  const words = labels
    .split(';')
    .map((label) => label.trim())
    .filter((label) => label !== '')
  const { data, error } = newSiteSchema.safeParse({ ...given, labels: words })
  if (data !== undefined) return { site: data }
  return { mistake: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') }
}

const unreadable = (why: string) =>
  new GalleyError({
    code: 'CSV_UNREADABLE',
    httpStatus: 422,
    fault: 'owner',
    action: 'owner',
    message: `The file cannot be imported: ${why}. Nothing was changed.`,
  })
