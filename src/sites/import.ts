import '../contract/issues.ts'
import { CsvError, parse } from 'csv-parse/sync'
import pMap from 'p-map'
import { z } from 'zod'
import { databaseFailure } from '../database/errors.ts'
import { apiCode, apiCodeSchema, GalleyError } from '../errors.ts'
import { withoutTrailingSlash } from '../lib/text.ts'
import type { Logger } from '../log/log.ts'
import { type ConnectingSite, refuseTakenId, registerSite, verifyNewSite } from './register.ts'
import type { ResumeSite, SiteRegistry } from './registry.ts'
import { type NewSite, newSiteSchema } from './schema.ts'

const CONCURRENCY = 8

/** Outcome of one line of the file. */
export const importedLineSchema = z
  .object({
    line: z.int().describe("In the file; 1 is the header's."),
    status: z
      .enum(['connected', 'refused', 'skipped'])
      .describe(
        'skipped: connected already, here or further up; in a dry run, connected means that it would be.',
      ),
    id: z.guid().optional(),
    error: z.object({ code: apiCodeSchema, message: z.string() }).optional(),
  })
  .meta({ id: 'ImportedLine' })

export type ImportedLine = z.output<typeof importedLineSchema>

interface ImportRequest extends ConnectingSite {
  csv: string
  /** Asks the sites and stores nothing. */
  dryRun: boolean
  /** Aborted when the client disconnects: no further line starts, and running lines finish. */
  gone: AbortSignal
  /** Throws where the account's key may not connect such a site. */
  refuse: (site: NewSite) => void
}

export type Importer = SiteRegistry & { log: Logger; resume: ResumeSite }

/**
 * Connects the sites of a CSV file one by one: a failing line does not affect the others. Sending the same file again
 * connects what was missing.
 * @returns one entry per line, in file order
 * @throws GalleyError 422 `CSV_UNREADABLE`
 */
export async function importSites(
  registry: Importer,
  { accountId, siteIds, csv, dryRun, gone, refuse }: ImportRequest,
): Promise<ImportedLine[]> {
  const rows = await rowsOf(registry, accountId, csv)
  return pMap(
    rows,
    ({ row, skip }) =>
      gone.aborted
        ? notStarted(row)
        : importRow(registry, { accountId, siteIds }, row, { skip, dryRun, refuse }),
    { concurrency: CONCURRENCY },
  )
}

/** The lines of a file, and why each connected or repeated site is skipped. */
async function rowsOf(registry: Pick<SiteRegistry, 'prisma'>, accountId: string, csv: string) {
  const known = await connectedSites(registry, accountId)
  return readRows(csv).map((row) => ({ row, skip: 'site' in row ? whySkip(known, row) : null }))
}

/**
 * The lines of a file with what is known before any site is asked.
 * @throws GalleyError 422 `CSV_UNREADABLE`
 */
export async function planRows(
  registry: Pick<SiteRegistry, 'prisma'>,
  accountId: string,
  csv: string,
): Promise<{ row: ImportRow; end: Pick<ImportedLine, 'status' | 'error'> | null }[]> {
  return (await rowsOf(registry, accountId, csv)).map(({ row, skip }) => {
    if ('mistake' in row) return { row, end: refusedFor(row.mistake) }
    return { row, end: skip ? { status: 'skipped', error: skip } : null }
  })
}

const refusedFor = (message: string) =>
  ({ status: 'refused', error: { code: 'INVALID_REQUEST', message } }) as const

/** The client disconnected, so nobody reads this. */
const notStarted = ({ line }: ImportRow): ImportedLine => ({
  line,
  status: 'refused',
  error: { code: 'NOT_BEGUN', message: 'Not started: the client had disconnected.' },
})

/** Connects the site of one line. Never throws. */
export async function importRow(
  registry: Importer,
  { accountId, siteIds }: ConnectingSite,
  row: ImportRow,
  { skip, dryRun, refuse }: Pick<ImportRequest, 'dryRun' | 'refuse'> & { skip: ImportedLine['error'] | null },
): Promise<ImportedLine> {
  const { line } = row
  if ('mistake' in row) return { line, ...refusedFor(row.mistake) }
  if (skip) return { line, status: 'skipped', error: skip }
  try {
    refuse(row.site)
    if (dryRun) {
      if (row.site.id !== undefined) await refuseTakenId(registry.prisma, { accountId, id: row.site.id })
      await verifyNewSite(registry, { accountId, siteIds }, row.site)
      return { line, status: 'connected' }
    }
    const { id } = await registerSite(registry, { accountId, siteIds, ...row.site })
    return { line, status: 'connected', id }
  } catch (error) {
    const { code, message } =
      error instanceof GalleyError ? error : unexpectedError(registry.log, line, error)
    // The file spells the address or the user name differently.
    const status = code === 'SITE_CONNECTED_ALREADY' ? 'skipped' : 'refused'
    return { line, status, error: { code: apiCode(code), message } }
  }
}

/** Other lines are stored already, so the request as a whole must not fail. */
export function unexpectedError(
  log: Logger,
  line: number,
  error: unknown,
): { code: string; message: string } {
  log.error({ err: error, line }, 'a line of an import failed')
  const trouble = databaseFailure(error)
  return trouble === undefined || trouble === 'refused'
    ? { code: 'INTERNAL', message: `Galley failed at this line. Its log has the reason, under line ${line}.` }
    : {
        code: 'DATABASE_UNAVAILABLE',
        message:
          'The database of Galley does not answer just now. Send the file again: what is connected is skipped.',
      }
}

/** Known sites, each with the line that names it, or 0 where it is connected already. */
type KnownSites = Map<string, number>

async function connectedSites(
  { prisma }: Pick<SiteRegistry, 'prisma'>,
  accountId: string,
): Promise<KnownSites> {
  const sites = await prisma.site.findMany({
    where: { accountId },
    select: { id: true, url: true, username: true },
  })
  return new Map(sites.flatMap((site) => [[site.id, 0] as const, [siteUserKey(site), 0] as const]))
}

/** Why a line is skipped: its site is connected, or an earlier line names it. Records the site as known. */
function whySkip(
  known: KnownSites,
  { line, site }: { line: number; site: NewSite },
): ImportedLine['error'] | null {
  const name = site.id ?? siteUserKey(site)
  const first = known.get(name)
  if (first === undefined) {
    known.set(name, line)
    return null
  }
  return first === 0
    ? { code: 'CONNECTED_ALREADY', message: 'This site is connected already. Change it with PATCH.' }
    : { code: 'NAMED_TWICE', message: `Line ${first} names the same site and user.` }
}

const siteUserKey = ({ url, username }: { url: string; username: string }): string =>
  `${withoutTrailingSlash(url.replace(/^https?:\/\//, '')).toLowerCase()} ${username}`

/** Lines per file; more take longer than a request should. */
export const MAX_ROWS = 500

const rowSchema = newSiteSchema.pick({
  url: true,
  username: true,
  application_password: true,
  name: true,
  id: true,
})

/** The columns of a file; the first three are required. */
const COLUMNS = [...Object.keys(rowSchema.shape), 'labels']
const REQUIRED = ['url', 'username', 'application_password']

/** Columns per file, including the unnamed ones that a spreadsheet adds. */
const MAX_COLUMNS = 100

/** Characters of the header. */
const MAX_HEADER = 10_000

const WRONG_LENGTH =
  'It has more or fewer values than the first line has columns. Put a value with a comma or semicolon in quotes.'

/** One line of the file: a site to connect, or a mistake. Lines count from 1, the header. */
type ImportRow = { line: number } & ({ site: NewSite } | { mistake: string })

const parsedSchema = z.array(
  z.object({
    record: z.record(z.string(), z.string()),
    info: z.object({ lines: z.int(), error: z.instanceof(CsvError).optional() }),
  }),
)

/**
 * Reads a CSV file of sites. The header has `url,username,application_password` and optionally `name`, `id` and `labels`
 * (separated by `;`), in any order. The delimiter is a comma, semicolon or tab. A line `sep=;`, empty columns and blank
 * lines, which spreadsheets add, are accepted.
 * @throws GalleyError 422 `CSV_UNREADABLE` where the whole file cannot be read; the message repeats no value
 */
export function readRows(text: string): ImportRow[] {
  // The replacement character means a wrong character set; names would be stored with it.
  if (text.includes('\uFFFD'))
    throw unreadable(
      'it is not UTF-8. Save it as "CSV UTF-8", or as CSV with the character set Unicode (UTF-8)',
    )
  const rows = parseCsv(text)
  if (rows.length > MAX_ROWS)
    throw unreadable(`it has more than ${MAX_ROWS} lines, the most that are accepted at a time. Split it`)
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
  const unknown = names.filter((name) => name !== '' && !COLUMNS.includes(name))
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
