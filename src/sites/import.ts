import { z } from 'zod'
import { apiCodeSchema } from '../errors.ts'
import { withoutTrailingSlash } from '../lib/text.ts'
import { type ImportRow, readRows, type SiteIdentity } from './import-file.ts'
import type { SiteRegistry } from './registry.ts'

export const importedLineSchema = z
  .object({
    line: z.int().describe("In the file; 1 is the header's."),
    status: z
      .enum(['connected', 'would_connect', 'refused', 'skipped'])
      .describe('would_connect: of a dry run. skipped: connected already, or named further up.'),
    id: z.guid().optional(),
    labels: z.array(z.string()).optional().describe('As they were read; absent where the line could not be.'),
    site: z
      .record(z.string(), z.string())
      .optional()
      .describe(
        'The other columns of the line, without the password; absent where the line could not be read.',
      ),
    error: z.object({ code: apiCodeSchema, message: z.string() }).optional(),
  })
  .meta({ id: 'ImportedLine' })

type ImportedLine = z.output<typeof importedLineSchema>

export type LineOutcome = Omit<ImportedLine, 'line' | 'labels' | 'site'>

/** The lines of a file, with each outcome that needs no request to a site. @throws GalleyError 422 `CSV_UNREADABLE` */
export async function planRows(
  registry: Pick<SiteRegistry, 'prisma'>,
  accountId: string,
  csv: string,
): Promise<{ row: ImportRow; end: LineOutcome | null }[]> {
  const known = await connectedSites(registry, accountId)
  return readRows(csv).map((row) => ({ row, end: knownOutcome(known, row) }))
}

function knownOutcome(known: KnownSites, row: ImportRow): LineOutcome | null {
  const identity = 'site' in row ? row.site : row.unverified
  if (identity && isConnected(known, identity)) return CONNECTED_ALREADY
  if ('mistake' in row)
    return {
      status: 'refused',
      error: { code: 'INVALID_REQUEST', message: `${row.mistake}${row.unverified ? NO_PASSWORD : ''}` },
    }
  const name = row.site.id ?? siteUserKey(row.site)
  const first = known.get(name)
  if (first === undefined) {
    known.set(name, row.line)
    return null
  }
  const message = `Line ${first} names the same site and user.`
  return { status: 'skipped', error: { code: 'NAMED_TWICE', message } }
}

const CONNECTED_ALREADY: LineOutcome = {
  status: 'skipped',
  error: { code: 'CONNECTED_ALREADY', message: 'This site is connected already, and stays as it is.' },
}

const NO_PASSWORD = '. The line has no application password: an exported file has none, so fill it in.'

/** Known sites, each with the line that names it, or 0 where it is connected already. */
type KnownSites = Map<string, number>

async function connectedSites({ prisma }: Pick<SiteRegistry, 'prisma'>, accountId: string) {
  const sites = await prisma.site.findMany({
    where: { accountId },
    select: { id: true, url: true, username: true },
  })
  return new Map(sites.flatMap((site) => [[site.id, 0] as const, [siteUserKey(site), 0] as const]))
}

const isConnected = (known: KnownSites, site: SiteIdentity): boolean =>
  known.get(siteUserKey(site)) === 0 || (site.id !== undefined && known.get(site.id) === 0)

const siteUserKey = ({ url, username }: { url: string; username: string }): string =>
  `${withoutTrailingSlash(url.replace(/^https?:\/\//, '')).toLowerCase()} ${username}`
