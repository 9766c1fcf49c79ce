import type { PrismaClient } from '../database/generated/client.ts'
import { GalleyError } from '../errors.ts'
import { isWithinSeen, type SeenSites } from '../seen-sites.ts'
import type { Limits } from './limit-schema.ts'

/**
 * The sources of which somebody may know who sees some sites only: those that can send to no other. Undefined where all
 * may be seen, for a condition of Prisma's.
 */
export async function seenSources(
  prisma: PrismaClient,
  accountId: string,
  sites: SeenSites,
): Promise<{ in: string[] } | undefined> {
  if (sites === null) return undefined
  const rows = await prisma.$queryRaw<{ id: string }[]>`
    SELECT id FROM source
    WHERE account_id = ${accountId}::uuid AND site_ids <@ ${sites}::uuid[] AND site_ids <> '{}' AND labels = '{}'`
  return { in: rows.map(({ id }) => id) }
}

/** @throws GalleyError 403 `FORBIDDEN` where a source could send to sites that whoever makes or changes it does not see */
export function requireWithinSeen(sites: SeenSites, limits: Limits | null | undefined): void {
  const { sites: named = [], labels = [] } = limits ?? {}
  if (isWithinSeen(sites, { siteIds: named, labels })) return
  throw new GalleyError({
    code: 'FORBIDDEN',
    httpStatus: 403,
    message:
      'This API key sees some sites only, and so may a source that it creates or changes: name sites among them in "limits.sites", and no labels.',
  })
}
