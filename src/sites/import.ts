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

/** Sites asked side by side. */
const CONCURRENCY = 8

/** What became of one line of the file. */
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
  /** Asks the sites, and stores nothing. */
  dryRun: boolean
  /** Aborted when nobody waits for the answer any more: no further line is begun, and those under way end. */
  gone: AbortSignal
  /** Throws where the account's key may not connect such a site. */
  refuse: (site: NewSite) => void
}

/** What an import works with. */
export type Importer = SiteRegistry & { log: Logger; resume: ResumeSite }

/**
 * Connects the sites of a CSV file, each by itself: one that refuses does not keep the others out, and neither does one
 * that fails in a way nobody foresaw. The same file may be sent again, and connects what was missing.
 *
 * @returns one entry a line, in the file's order
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

/** The lines of a file, and why a site is left out that is connected already, here or further up. */
async function rowsOf(registry: Pick<SiteRegistry, 'prisma'>, accountId: string, csv: string) {
  const known = await connectedSites(registry, accountId)
  return readRows(csv).map((row) => ({ row, skip: 'site' in row ? whySkip(known, row) : null }))
}

/**
 * The lines of a file with what is known of them before a site is asked.
 *
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

/** Nobody reads it. */
const notStarted = ({ line }: ImportRow): ImportedLine => ({
  line,
  status: 'refused',
  error: { code: 'NOT_BEGUN', message: 'Not started: the client had disconnected.' },
})

/** Connects the site of one line, or says why not; it fails over nothing. */
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
    // Under another address, or with other letters in the name, than the file has it.
    const status = code === 'SITE_CONNECTED_ALREADY' ? 'skipped' : 'refused'
    return { line, status, error: { code: apiCode(code), message } }
  }
}

/** Other lines are stored already: the whole must not be answered as if nothing was. */
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

/** Where a site is known from: the line that names it, or 0 where it is connected already. */
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

/** Why a line is left out: its site is connected, or an earlier line names it. From now on it is known. */
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

/** Lines of one file: more than that take longer than a request should. */
export const MAX_ROWS = 500

const rowSchema = newSiteSchema.pick({
  url: true,
  username: true,
  application_password: true,
  name: true,
  id: true,
})

/** The columns a file may have; the first three it must. */
const COLUMNS = [...Object.keys(rowSchema.shape), 'labels']
const REQUIRED = ['url', 'username', 'application_password']

/** Columns of one file, with those that a spreadsheet adds and nobody names. */
const MAX_COLUMNS = 100

/** Characters of the line that names them. */
const MAX_HEADER = 10_000

const WRONG_LENGTH =
  'It has more or fewer values than the first line has columns. Put a value with a comma or semicolon in quotes.'

/** One line of the file: a site to connect, or what is wrong with it. Lines count from 1, the header's. */
type ImportRow = { line: number } & ({ site: NewSite } | { mistake: string })

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
  const rows = parseCsv(text)
  if (rows.length > MAX_ROWS)
    throw unreadable(`it has more than ${MAX_ROWS} lines, the most that are accepted at a time. Split it`)
  return rows.map(({ record, info: { lines: line, error } }) =>
    error === undefined ? { line, ...readRow(record) } : { line, mistake: WRONG_LENGTH },
  )
}

function parseCsv(text: string): z.output<typeof parsedSchema> {
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
