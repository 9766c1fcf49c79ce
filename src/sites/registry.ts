import { z } from 'zod'
import type { PrismaClient, Site } from '../database/generated/client.ts'
import type { RowSource } from '../database/transaction.ts'
import { conflict, unknownId } from '../errors.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Keyring } from '../secrets/keyring.ts'
import type { SiteId } from './connection.ts'
import { currentReport } from './health/report.ts'
import { siteState, stateSince } from './health/state.ts'
import type { SiteView } from './schema.ts'
import { siteSettingsSchema } from './settings.ts'

export interface SiteRegistry {
  prisma: PrismaClient
  keyring: Keyring
  outbound: Outbound
}

/** Resumes what waits for a site, in the transaction that stores a working connection. */
export type ResumeSite = (transaction: RowSource, site: SiteId) => Promise<unknown>

/** @throws GalleyError 404 */
export async function getSite(registry: Pick<SiteRegistry, 'prisma'>, site: SiteId): Promise<SiteView> {
  return siteView(await siteRow(registry, site))
}

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

const troubleSchema = z.object({ code: z.string(), message: z.string() }).nullable()

/** A row of the registry as in answers. */
export function siteView(row: Site): SiteView {
  const trouble = troubleSchema.parse(row.trouble)
  const report = currentReport(row)
  const stateRow = { ...row, trouble }
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    rest_root: row.restRoot,
    username: row.username,
    state: siteState(stateRow),
    trouble,
    since: stateSince(stateRow)?.toISOString() ?? null,
    next_try: row.pausedUntil?.toISOString() ?? null,
    stopped: row.stoppedAt && { at: row.stoppedAt.toISOString(), reason: row.stopReason },
    labels: row.labels,
    owner_email: row.ownerEmail,
    settings: siteSettingsSchema.parse(row.settings),
    report,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}
