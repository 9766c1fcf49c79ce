import pMap from 'p-map'
import { z } from 'zod'
import { apiCode, apiCodeSchema } from '../api-code.ts'
import { databaseFailure } from '../database/sqlstates.ts'
import { GalleyError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { withoutSlash } from '../text.ts'
import type { Connecting } from './duplicate.ts'
import { type ImportRow, readRows } from './import-rows.ts'
import { refuseTakenId, registerSite, verifyNewSite } from './register.ts'
import type { Resume, SiteRegistry } from './registry.ts'
import type { NewSite } from './schema.ts'

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

interface Import extends Connecting {
  csv: string
  /** Asks the sites, and stores nothing. */
  dryRun: boolean
  /** Aborted when nobody waits for the answer any more: no further line is begun, and those under way end. */
  gone: AbortSignal
  /** Throws where the account's key may not connect such a site. */
  refuse: (site: NewSite) => void
}

/** What an import works with. */
export type Importer = SiteRegistry & { log: Logger; resume: Resume }

/**
 * Connects the sites of a CSV file, each by itself: one that refuses does not keep the others out, and neither does one
 * that fails in a way nobody foresaw. The same file may be sent again, and connects what was missing.
 *
 * @returns one entry a line, in the file's order
 * @throws GalleyError 422 `CSV_UNREADABLE`
 */
export async function importSites(
  registry: Importer,
  { accountId, siteIds, csv, dryRun, gone, refuse }: Import,
): Promise<ImportedLine[]> {
  const rows = await rowsOf(registry, accountId, csv)
  return pMap(
    rows,
    ({ row, skip }) =>
      gone.aborted
        ? notBegun(row)
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
export async function plannedRows(
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
const notBegun = ({ line }: ImportRow): ImportedLine => ({
  line,
  status: 'refused',
  error: { code: 'NOT_BEGUN', message: 'Not started: the client had disconnected.' },
})

/** Connects the site of one line, or says why not; it fails over nothing. */
export async function importRow(
  registry: Importer,
  { accountId, siteIds }: Connecting,
  row: ImportRow,
  { skip, dryRun, refuse }: Pick<Import, 'dryRun' | 'refuse'> & { skip: ImportedLine['error'] | null },
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
    const { code, message } = error instanceof GalleyError ? error : unforeseen(registry.log, line, error)
    // Under another address, or with other letters in the name, than the file has it.
    const status = code === 'SITE_CONNECTED_ALREADY' ? 'skipped' : 'refused'
    return { line, status, error: { code: apiCode(code), message } }
  }
}

/** Other lines are stored already: the whole must not be answered as if nothing was. */
export function unforeseen(log: Logger, line: number, error: unknown): { code: string; message: string } {
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
type Known = Map<string, number>

async function connectedSites({ prisma }: Pick<SiteRegistry, 'prisma'>, accountId: string): Promise<Known> {
  const sites = await prisma.site.findMany({
    where: { accountId },
    select: { id: true, url: true, username: true },
  })
  return new Map(sites.flatMap((site) => [[site.id, 0] as const, [placeOf(site), 0] as const]))
}

/** Why a line is left out: its site is connected, or an earlier line names it. From now on it is known. */
function whySkip(
  known: Known,
  { line, site }: { line: number; site: NewSite },
): ImportedLine['error'] | null {
  const name = site.id ?? placeOf(site)
  const first = known.get(name)
  if (first === undefined) {
    known.set(name, line)
    return null
  }
  return first === 0
    ? { code: 'CONNECTED_ALREADY', message: 'This site is connected already. Change it with PATCH.' }
    : { code: 'NAMED_TWICE', message: `Line ${first} names the same site and user.` }
}

const placeOf = ({ url, username }: { url: string; username: string }): string =>
  `${withoutSlash(url.replace(/^https?:\/\//, '')).toLowerCase()} ${username}`
