import type { PrismaClient, Site } from '../database/generated/client.ts'
import type { Rows } from '../database/transaction.ts'
import { GalleyError } from '../errors.ts'
import type { Outbound } from '../outbound/index.ts'
import type { Keyring } from '../secrets/index.ts'
import type { SiteView } from './schema.ts'
import type { SiteId } from './site-id.ts'
import { siteView } from './view.ts'

/** What the registry of sites works with. */
export interface SiteRegistry {
  prisma: PrismaClient
  keyring: Keyring
  outbound: Outbound
}

/** Starts again what waits for a site, in the transaction that gives it a connection that works. */
export type Resume = (transaction: Rows, site: SiteId) => Promise<unknown>

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

/** What was asked for was tried with a connection that the site has no more. */
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
