import pMap from 'p-map'
import { z } from 'zod'
import { GalleyError } from '../errors.ts'
import { withoutSlash } from '../text.ts'
import { type ImportRow, readRows } from './import-rows.ts'
import { proveNewSite, refuseTakenId, registerSite } from './register.ts'
import type { SiteRegistry } from './registry.ts'
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
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'ImportedLine' })

export type ImportedLine = z.output<typeof importedLineSchema>

interface Import {
  accountId: string
  csv: string
  /** Asks the sites, and stores nothing. */
  dryRun: boolean
}

/**
 * Connects the sites of a CSV file, each by itself: one that refuses does not keep the others out. The same file may
 * be sent again, and connects what was missing.
 *
 * @returns one entry a line, in the file's order
 * @throws GalleyError 422 `CSV_UNREADABLE`
 */
export async function importSites(
  registry: SiteRegistry,
  { accountId, csv, dryRun }: Import,
): Promise<ImportedLine[]> {
  const known = await connectedSites(registry, accountId)
  const rows = readRows(csv).map((row) => ({ row, skip: 'site' in row ? whySkip(known, row) : null }))
  return pMap(rows, ({ row, skip }) => importRow(registry, accountId, row, { skip, dryRun }), {
    concurrency: CONCURRENCY,
  })
}

async function importRow(
  registry: SiteRegistry,
  accountId: string,
  row: ImportRow,
  { skip, dryRun }: { skip: ImportedLine['error'] | null; dryRun: boolean },
): Promise<ImportedLine> {
  const { line } = row
  if ('mistake' in row)
    return { line, status: 'refused', error: { code: 'INVALID_REQUEST', message: row.mistake } }
  if (skip) return { line, status: 'skipped', error: skip }
  try {
    if (dryRun) {
      if (row.site.id !== undefined) await refuseTakenId(registry.prisma, { accountId, id: row.site.id })
      await proveNewSite(registry, accountId, row.site)
      return { line, status: 'connected' }
    }
    const { id } = await registerSite(registry, { accountId, ...row.site })
    return { line, status: 'connected', id }
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    const { code, message } = error
    // Under another address, or with other letters in the name, than the file has it.
    const status = code === 'SITE_CONNECTED_ALREADY' ? 'skipped' : 'refused'
    return { line, status, error: { code, message } }
  }
}

/** Where a site is known from: the line that names it, or 0 where it is connected already. */
type Known = Map<string, number>

async function connectedSites({ prisma }: SiteRegistry, accountId: string): Promise<Known> {
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
