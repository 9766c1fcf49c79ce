import { Prisma, type PrismaClient, type Site } from '../database/generated/client.ts'
import { GalleyError } from '../errors.ts'
import type { Outbound } from '../outbound/index.ts'
import { type Page, type PageRequest, toPage } from '../paging.ts'
import type { Keyring } from '../secrets/index.ts'
import type { SiteReport } from './health/report.ts'
import type { SiteView } from './schema.ts'
import type { SiteId } from './site-id.ts'
import { siteView } from './view.ts'

/** What the registry of sites works with. */
export interface SiteRegistry {
  prisma: PrismaClient
  keyring: Keyring
  outbound: Outbound
}

export interface SiteFilter extends PageRequest {
  accountId: string
  /** Only these; null for all. */
  siteIds: string[] | null
  label?: string | undefined
  status?: SiteView['status'] | undefined
  /** Of the last report. */
  level?: SiteReport['level'] | undefined
}

const untroubled = { stoppedAt: null, pausedUntil: null, trouble: { equals: Prisma.DbNull } }

/** By a report that is about the connection as it is now. */
const atLevel = (level: SiteReport['level']) => ({
  reportAt: { not: null },
  report: { path: ['level'], equals: level },
})

/** What {@link siteView} calls a site's status, asked of the database. */
const inStatus = {
  connected: { ...untroubled, OR: [{ reportAt: null }, { NOT: atLevel('problem') }] },
  problem: { ...untroubled, ...atLevel('problem') },
  paused: { stoppedAt: null, pausedUntil: { not: null } },
  needs_owner: { stoppedAt: null, pausedUntil: null, trouble: { not: Prisma.DbNull } },
  stopped: { stoppedAt: { not: null } },
} satisfies Record<SiteView['status'], Prisma.SiteWhereInput>

/** The sites of an account, by id. */
export async function listSites(
  { prisma }: Pick<SiteRegistry, 'prisma'>,
  { accountId, siteIds, limit, cursor, label, status, level }: SiteFilter,
): Promise<Page<SiteView>> {
  const rows = await prisma.site.findMany({
    where: {
      accountId,
      id: { ...(cursor !== undefined && { gt: cursor }), ...(siteIds !== null && { in: siteIds }) },
      ...(label !== undefined && { labels: { has: label } }),
      AND: [status === undefined ? {} : inStatus[status], level === undefined ? {} : atLevel(level)],
    },
    orderBy: { id: 'asc' },
    take: limit + 1,
  })
  const { items, nextCursor } = toPage(rows, limit)
  return { items: items.map(siteView), nextCursor }
}

/** @throws GalleyError 404 */
export async function getSite(registry: Pick<SiteRegistry, 'prisma'>, site: SiteId): Promise<SiteView> {
  return siteView(await siteRow(registry, site))
}

/** Whether the account has this site. */
export const hasSite = async ({ prisma }: Pick<SiteRegistry, 'prisma'>, site: SiteId): Promise<boolean> =>
  (await prisma.site.count({ where: site })) > 0

/** Whether the account has this site, and connected it since then. */
export const connectedSince = async (
  { prisma }: Pick<SiteRegistry, 'prisma'>,
  site: SiteId,
  since: Date,
): Promise<boolean> => (await prisma.site.count({ where: { ...site, createdAt: { gte: since } } })) > 0

/** The row of a site, for whoever has to speak to it. @throws GalleyError 404 */
export async function siteRow({ prisma }: Pick<SiteRegistry, 'prisma'>, site: SiteId): Promise<Site> {
  const row = await prisma.site.findFirst({ where: site })
  if (row === null) throw siteUnknown(site)
  return row
}

export const siteUnknown = ({ id }: SiteId) =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: `This account has no site ${id}. GET /v1/sites lists those it has.`,
  })
