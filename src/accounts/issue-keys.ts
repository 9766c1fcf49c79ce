import type { PrismaClient } from '../database/generated/client.ts'
import { GalleyError } from '../errors.ts'
import { isWithinSeen } from '../seen-sites.ts'
import type { Caller } from './authenticate.ts'
import { changeStoredKey, createKey } from './keys.ts'
import { owners, type Role, roles } from './rights.ts'
import type { KeyPatch, KeyView, NewKey } from './schema.ts'

/**
 * Makes a key for somebody else. It is allowed nothing that the caller's own is not: no higher role, no other site.
 *
 * @throws GalleyError 403 `FORBIDDEN`; 422 `KEY_LIMITED_OWNER`, `KEY_EXPIRED_ALREADY` or `SITE_UNKNOWN`
 */
export async function issueKey(
  prisma: PrismaClient,
  caller: Caller,
  { id, name, role, labels, site_ids: siteIds, expires_at }: NewKey & { id?: string },
): Promise<KeyView & { key: string }> {
  refuseHigherRole(caller, role)
  const limited = siteIds.length > 0 || labels.length > 0
  if (limited && isOwner(role)) throw limitedOwner(role)
  refuseWiderScope(caller, { siteIds, labels })
  await refuseUnknownSites(prisma, caller.accountId, siteIds)
  const expiresAt = futureOf(expires_at)
  return createKey(prisma, { id, accountId: caller.accountId, name, role, labels, siteIds, expiresAt })
}

/** Changes the name or the end of a key. @throws GalleyError 403 `FORBIDDEN`, 404, 409 `LAST_KEY`, 422 `KEY_EXPIRED_ALREADY` */
export async function changeKey(
  prisma: PrismaClient,
  caller: Caller,
  id: string,
  { name, expires_at }: KeyPatch,
): Promise<KeyView> {
  const expiresAt = expires_at === undefined ? undefined : futureOf(expires_at)
  return changeStoredKey(prisma, { accountId: caller.accountId, id }, (key) => {
    refuseHigherRole(caller, key.role as Role)
    return { ...(name !== undefined && { name }), ...(expiresAt !== undefined && { expiresAt }) }
  })
}

/**
 * Ends a key at once; doing it again changes nothing.
 *
 * @throws GalleyError 403 `FORBIDDEN`, 404 `NOT_FOUND`, 409 `LAST_KEY`
 */
export const revokeKey = (prisma: PrismaClient, caller: Caller, id: string): Promise<KeyView> =>
  changeStoredKey(prisma, { accountId: caller.accountId, id }, (key) => {
    refuseHigherRole(caller, key.role as Role)
    return key.revokedAt === null ? { revokedAt: new Date() } : null
  })

const isOwner = (role: Role): boolean => (owners as readonly Role[]).includes(role)

/** @throws GalleyError 403 `FORBIDDEN` where a key would see other sites than the one that makes it */
export function refuseWiderScope(
  { siteIds: seen }: Pick<Caller, 'siteIds'>,
  limits: { siteIds: string[]; labels: string[] },
): void {
  if (isWithinSeen(seen, limits)) return
  throw forbidden('Your key is limited to some sites, and a key that you create must be too.')
}

/** @throws GalleyError 403 `FORBIDDEN` where a key of this role is not the caller's to make or change */
export function refuseHigherRole({ role: own }: Caller, role: Role): void {
  if (roles.indexOf(role) < roles.indexOf(own))
    throw forbidden(
      `Your key is of the role "${own}", and only one of "${role}" can create, change or revoke such a key.`,
    )
}

async function refuseUnknownSites(prisma: PrismaClient, accountId: string, siteIds: string[]): Promise<void> {
  const known = await prisma.site.findMany({
    where: { accountId, id: { in: siteIds } },
    select: { id: true },
  })
  const connected = new Set(known.map(({ id }) => id))
  const unknown = siteIds.filter((id) => !connected.has(id))
  if (unknown.length === 0) return
  throw new GalleyError({
    code: 'SITE_UNKNOWN',
    httpStatus: 422,
    message: `Not connected in this account: ${unknown.join(', ')}. Connect it first, or limit the key by a label.`,
    details: { site_ids: unknown },
  })
}

/** @throws GalleyError 422 `KEY_EXPIRED_ALREADY` */
export function futureOf(time: string | null): Date | null {
  if (time === null) return null
  const moment = new Date(time)
  if (moment > new Date()) return moment
  throw new GalleyError({
    code: 'KEY_EXPIRED_ALREADY',
    httpStatus: 422,
    message: `${time} is already over. To end a key now, revoke it with DELETE /v1/keys/{uuid}.`,
  })
}

const limitedOwner = (role: Role) =>
  new GalleyError({
    code: 'KEY_LIMITED_OWNER',
    httpStatus: 422,
    message: `A key of the role "${role}" cannot be limited to sites or labels: it could create one without a limit. Choose manager, editor or source.`,
  })

const forbidden = (message: string) =>
  new GalleyError({ code: 'FORBIDDEN', httpStatus: 403, fault: 'owner', action: 'owner', message })
