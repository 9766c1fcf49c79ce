import type { Prisma, PrismaClient, Site } from '../database/generated/client.ts'
import { queryRows } from '../database/statement.ts'
import { prismaRows, type RowSource } from '../database/transaction.ts'
import { conflict, unknownId } from '../errors.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Keyring } from '../secrets/keyring.ts'
import type { SiteId } from './connection.ts'
import { reportView } from './health/report.ts'
import { siteStateSql, stateSinceSql } from './health/state.ts'
import { type SiteView, siteSchema } from './schema.ts'
import { siteSettingsSchema } from './settings.ts'

export interface SiteRegistry {
  prisma: PrismaClient
  keyring: Keyring
  outbound: Outbound
}

/** Resumes what waits for a site, in the transaction that stores a working connection. */
export type ResumeSite = (transaction: RowSource, site: SiteId) => Promise<unknown>

/** @throws GalleyError 404 */
export async function getSite(
  { prisma }: { prisma: Prisma.TransactionClient },
  site: SiteId,
): Promise<SiteView> {
  const [found] = await readSites(prismaRows(prisma), site.accountId, [site.id])
  if (found === undefined) throw siteUnknown(site)
  return found
}

/** Those of these sites that the account has, as answers show them, in the order of their ids here. */
export async function readSites(database: RowSource, accountId: string, ids: readonly string[]) {
  const rows = await queryRows<SiteRow>(database, READ_SITES, { accountId, ids })
  return rows.map(siteView)
}

const READ_SITES = `
  SELECT s.id, s.name, s.url, s.rest_root, s.username, ${siteStateSql('s')} AS state, s.trouble, ${stateSinceSql('s')} AS since,
    s.paused_until AS next_try, s.stopped_at AS stopped, s.stop_reason, s.labels, s.owner_email, s.settings,
    CASE WHEN s.report_at IS NOT NULL THEN s.report END AS report, s.created_at, s.updated_at
  FROM site s WHERE s.account_id = :accountId::uuid AND s.id = ANY (:ids::uuid[])
  ORDER BY array_position(:ids::uuid[], s.id)`

export const hasSite = async ({ prisma }: Pick<SiteRegistry, 'prisma'>, site: SiteId): Promise<boolean> =>
  (await prisma.site.count({ where: site })) > 0

/** Whether the account has this site and connected it at or after that time. */
export const isConnectedSince = async ({ prisma }: Pick<SiteRegistry, 'prisma'>, site: SiteId, since: Date) =>
  (await prisma.site.count({ where: { ...site, createdAt: { gte: since } } })) > 0

/** The row of a site. @throws GalleyError 404 */
export async function siteRow({ prisma }: Pick<SiteRegistry, 'prisma'>, site: SiteId): Promise<Site> {
  const row = await prisma.site.findFirst({ where: site })
  if (row === null) throw siteUnknown(site)
  return row
}

/** The connection changed while it was in use. */
export const siteChanged = ({ id }: SiteId) =>
  conflict(
    'SITE_CHANGED',
    `Somebody else reconnected site ${id} while this was under way, so the site stays as they left it. Look at it again, and ask for what is still missing.`,
  )

export const siteUnknown = ({ id }: SiteId) => unknownId('site', id)

type SiteRow = Pick<SiteView, 'id' | 'name' | 'url' | 'rest_root' | 'username' | 'state'> &
  Pick<SiteView, 'labels' | 'owner_email'> &
  Record<'trouble' | 'settings' | 'report', unknown> &
  Record<'created_at' | 'updated_at', Date> &
  Record<'since' | 'next_try' | 'stopped', Date | null> & { stop_reason: string | null }

/** In the order of an answer, which is that of the columns. */
const siteView = ({ stop_reason, ...row }: SiteRow): SiteView => ({
  ...row,
  trouble: siteSchema.shape.trouble.parse(row.trouble),
  since: row.since?.toISOString() ?? null,
  next_try: row.next_try?.toISOString() ?? null,
  stopped: row.stopped && { at: row.stopped.toISOString(), reason: stop_reason },
  settings: siteSettingsSchema.parse(row.settings),
  report: reportView(row.report),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})
