import { z } from 'zod'
import type { PrismaClient, Site } from '../database/generated/client.ts'
import type { RowSource } from '../database/transaction.ts'
import { GalleyError } from '../errors.ts'
import type { Outbound } from '../outbound/index.ts'
import type { Keyring } from '../secrets/index.ts'
import type { SiteId } from './connection.ts'
import { currentReport } from './health/report.ts'
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
export const isConnectedSince = async (
  { prisma }: Pick<SiteRegistry, 'prisma'>,
  site: SiteId,
  since: Date,
): Promise<boolean> => (await prisma.site.count({ where: { ...site, createdAt: { gte: since } } })) > 0

/** The row of a site. @throws GalleyError 404 */
export async function siteRow({ prisma }: Pick<SiteRegistry, 'prisma'>, site: SiteId): Promise<Site> {
  const row = await prisma.site.findFirst({ where: site })
  if (row === null) throw siteUnknown(site)
  return row
}

/** The connection changed while it was in use. */
export const siteChanged = ({ id }: SiteId) =>
  new GalleyError({
    code: 'SITE_CHANGED',
    httpStatus: 409,
    fault: 'owner',
    action: 'owner',
    message: `Somebody else reconnected site ${id} while this was under way, so the site stays as they left it. Read it with GET /v1/sites/${id}, and ask again for what is still missing.`,
  })

export const siteUnknown = ({ id }: SiteId) =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: `This account has no site ${id}. GET /v1/sites lists those it has.`,
  })

const troubleSchema = z.object({ code: z.string(), message: z.string() }).nullable()

/** A row of the registry as in answers. */
export function siteView(row: Site): SiteView {
  const trouble = troubleSchema.parse(row.trouble)
  const report = currentReport(row)
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    rest_root: row.restRoot,
    username: row.username,
    status: statusOf(row, trouble, report),
    trouble,
    paused_until: row.pausedUntil?.toISOString() ?? null,
    stopped: row.stoppedAt && { at: row.stoppedAt.toISOString(), reason: row.stopReason },
    labels: row.labels,
    settings: siteSettingsSchema.parse(row.settings),
    report,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}

function statusOf(
  { stoppedAt, pausedUntil }: Pick<Site, 'stoppedAt' | 'pausedUntil'>,
  trouble: SiteView['trouble'],
  report: SiteView['report'],
): SiteView['status'] {
  if (stoppedAt !== null) return 'stopped'
  if (pausedUntil !== null) return 'paused'
  if (trouble !== null) return 'needs_owner'
  return report?.level === 'problem' ? 'problem' : 'connected'
}
