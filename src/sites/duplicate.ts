import type { Prisma } from '../database/generated/client.ts'
import { GalleyError } from '../errors.ts'
import type { SiteConnection } from '../wordpress/types.ts'

type Place = Pick<SiteConnection, 'restRoot' | 'username'>

/**
 * The site of an account that has this REST root and this user, if any: two of them would make two posts of a document,
 * and pause and resume each by itself. WordPress does not tell users apart by letter case.
 */
export async function findDuplicate(
  prisma: Prisma.TransactionClient,
  accountId: string,
  { restRoot, username }: Place,
): Promise<string | null> {
  const [twin] = await prisma.$queryRaw<{ id: string }[]>`
    SELECT id FROM site WHERE account_id = ${accountId}::uuid AND rest_root = ${restRoot}
      AND lower(username) = lower(${username}) ORDER BY id LIMIT 1`
  return twin?.id ?? null
}

/** Lets nobody else connect this site for this user until the transaction ends. */
export async function lockPlace(
  transaction: Prisma.TransactionClient,
  accountId: string,
  { restRoot, username }: Place,
): Promise<void> {
  const place = `${accountId} ${restRoot} ${username.toLowerCase()}`
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${place}, 0))`
}

/** Who must not have a second site in one place. */
export interface Connecting {
  accountId: string
  /** The only sites that whoever asks may hear of; null for all. */
  siteIds: string[] | null
}

/** @throws GalleyError 409 `SITE_CONNECTED_ALREADY`, naming the site to who may hear of it; unless it is `itself` */
export async function refuseDuplicate(
  prisma: Prisma.TransactionClient,
  { accountId, siteIds }: Connecting,
  connection: Place & Pick<SiteConnection, 'name'>,
  itself?: string,
): Promise<void> {
  const twin = await findDuplicate(prisma, accountId, connection)
  if (twin === null || twin === itself) return
  const { name, username } = connection
  throw new GalleyError({
    code: 'SITE_CONNECTED_ALREADY',
    httpStatus: 409,
    ...(siteIds === null || siteIds.includes(twin)
      ? {
          message: `${name} is connected already for the user ${username}, as site ${twin}. Change that one with PATCH, or connect another user.`,
          details: { site_id: twin },
        }
      : {
          message: `${name} is connected already for the user ${username}, as a site that only others in this account see. Ask them, or connect another user.`,
        }),
  })
}
