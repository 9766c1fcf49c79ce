import { v7 as uuid } from 'uuid'
import type { ApiKey, Prisma, PrismaClient } from '../database/generated/client.ts'
import { conflict, refusal, unknownId } from '../errors.ts'
import { type Page, type PageRequest, toPage } from '../lib/paging.ts'
import { wireRow } from '../lib/wire-row.ts'
import { createApiKey, hashToken } from '../secrets/keyring.ts'
import { type Caller, owners, type Role, roles } from './authenticate.ts'
import {
  type KeyPatch,
  type KeyRotation,
  type KeyView,
  keySchema,
  type NewKey,
  type RotatedKey,
} from './schema.ts'

interface KeyCreation {
  id?: string | undefined
  accountId: string
  name: string
  /** `owner` where left out. */
  role?: Role | undefined
  siteIds?: string[]
  labels?: string[]
  expiresAt?: Date | null
}

/** Makes a key of an account. The key itself is returned this once: only its hash is kept. */
export async function createKey(
  prisma: Prisma.TransactionClient,
  { id, name, role = 'owner', ...columns }: KeyCreation,
): Promise<KeyView & { key: string }> {
  const key = createApiKey()
  const row = await prisma.apiKey.create({ data: { ...columns, role, ...keyColumns(name, key, id) } })
  return { ...keyView(row), key }
}

const keyColumns = (name: string, key: string, id: string = uuid()) => ({
  id,
  name,
  hash: hashToken(key),
  lastFour: key.slice(-4),
})

/** The keys of an account, the newest first, revoked ones too. */
export async function listKeys(
  prisma: PrismaClient,
  { accountId, limit, cursor }: PageRequest & { accountId: string },
): Promise<Page<KeyView>> {
  const rows = await prisma.apiKey.findMany({
    where: { accountId, id: cursor === undefined ? undefined : { lt: cursor } },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  return toPage(rows, limit, keyView)
}

/**
 * Changes keys one at a time: two at once could each leave the other's key as the last one of an owner.
 * @throws GalleyError 404 `NOT_FOUND`; 409 `LAST_KEY` where no owner would be left who can make another
 */
async function updateKey(
  prisma: PrismaClient,
  { accountId, id }: { accountId: string; id: string },
  change: (key: ApiKey) => Prisma.ApiKeyUpdateInput | null,
): Promise<KeyView> {
  return prisma.$transaction(async (transaction) => {
    await lockKeys(transaction, accountId)
    const key = await readKey(transaction, { accountId, id })
    const data = change(key)
    if (data === null) return keyView(key)
    const changed = await transaction.apiKey.update({ where: { id }, data })
    await requirePermanentOwnerKey(transaction, accountId)
    return keyView(changed)
  })
}

/** Keeps every other change to a key of the account waiting until the transaction ends. */
const lockKeys = (transaction: Prisma.TransactionClient, accountId: string): Promise<unknown> =>
  transaction.$queryRaw`SELECT id FROM account WHERE id = ${accountId}::uuid FOR UPDATE`

async function readKey(
  transaction: Prisma.TransactionClient,
  { accountId, id }: { accountId: string; id: string },
): Promise<ApiKey> {
  const key = await transaction.apiKey.findFirst({ where: { id, accountId } })
  if (key === null) throw unknownId('key', id)
  return key
}

/** With a key of an owner, without an end, somebody can always make another: one of them stays. @throws 409 `LAST_KEY` */
async function requirePermanentOwnerKey(transaction: Prisma.TransactionClient, accountId: string) {
  const permanent = { accountId, role: { in: [...owners] }, revokedAt: null, expiresAt: null }
  if ((await transaction.apiKey.count({ where: permanent })) > 0) return
  throw conflict(
    'LAST_KEY',
    'This is the last key of the account that can create another: of an owner, and without an expiry. Create another such key first.',
  )
}

const keyView = (row: ApiKey): KeyView => keySchema.parse(wireRow(row))

/** Makes a key that is allowed nothing beyond the caller's own. @throws 403; 422 `KEY_EXPIRED_ALREADY` and others */
export async function issueKey(
  prisma: PrismaClient,
  caller: Caller,
  { id, name, role, labels, site_ids: siteIds, expires_at }: NewKey & { id?: string },
): Promise<KeyView & { key: string }> {
  assertKeyRole(caller, role)
  const limited = siteIds.length > 0 || labels.length > 0
  if (limited && isOwner(role))
    throw refusal(
      'KEY_LIMITED_OWNER',
      `A key of the role "${role}" cannot be limited to sites or labels: it could create one without a limit. Choose manager, editor or source.`,
    )
  await assertSitesExist(prisma, caller.accountId, siteIds)
  const expiresAt = parseFutureTime(expires_at)
  return createKey(prisma, { id, accountId: caller.accountId, name, role, labels, siteIds, expiresAt })
}

/** Changes the name or the end of a key. @throws GalleyError 403 `FORBIDDEN`, 404, 409 `LAST_KEY`, 422 `KEY_EXPIRED_ALREADY` */
export async function changeKey(
  prisma: PrismaClient,
  caller: Caller,
  id: string,
  { name, expires_at }: KeyPatch,
): Promise<KeyView> {
  const expiresAt = expires_at === undefined ? undefined : parseFutureTime(expires_at)
  return updateKey(prisma, { accountId: caller.accountId, id }, (key) => {
    assertKeyRole(caller, key.role as Role)
    return { ...(name !== undefined && { name }), ...(expiresAt !== undefined && { expiresAt }) }
  })
}

/** Ends a key at once; idempotent. @throws GalleyError 403 `FORBIDDEN`, 404 `NOT_FOUND`, 409 `LAST_KEY` */
export const revokeKey = (prisma: PrismaClient, caller: Caller, id: string): Promise<KeyView> =>
  updateKey(prisma, { accountId: caller.accountId, id }, (key) => {
    assertKeyRole(caller, key.role as Role)
    return key.revokedAt === null ? { revokedAt: new Date() } : null
  })

const isOwner = (role: Role): boolean => (owners as readonly Role[]).includes(role)

function assertKeyRole({ role: own }: Caller, role: Role): void {
  if (roles.indexOf(role) < roles.indexOf(own))
    throw refusal(
      'FORBIDDEN',
      `Your key is of the role "${own}", and only one of "${role}" can create, change or revoke such a key.`,
      403,
    )
}

async function assertSitesExist(prisma: PrismaClient, accountId: string, siteIds: string[]): Promise<void> {
  const known = await prisma.site.findMany({
    where: { accountId, id: { in: siteIds } },
    select: { id: true },
  })
  const connected = new Set(known.map(({ id }) => id))
  const unknown = siteIds.filter((id) => !connected.has(id))
  if (unknown.length === 0) return
  throw refusal(
    'SITE_UNKNOWN',
    `Not connected in this account: ${unknown.join(', ')}. Connect it first, or limit the key by a label.`,
    422,
    { site_ids: unknown },
  )
}

function parseFutureTime(time: string | null): Date | null {
  if (time === null) return null
  const moment = new Date(time)
  if (moment > new Date()) return moment
  throw refusal(
    'KEY_EXPIRED_ALREADY',
    `${time} is already over. To end a key now, revoke it with DELETE /v1/keys/{uuid}.`,
  )
}

const HOUR_MS = 3_600_000

/** Replaces a key by one that is allowed the same. @throws 403, 404; 409 `KEY_ENDED`, `LAST_KEY`; 422 `KEY_EXPIRED_ALREADY` */
export async function rotateKey(
  prisma: PrismaClient,
  caller: Caller,
  { id, newId }: { id: string; newId: string },
  { overlap_hours: hours, expires_at }: KeyRotation,
): Promise<RotatedKey> {
  const { accountId } = caller
  const end = expires_at === undefined ? undefined : parseFutureTime(expires_at)
  return prisma.$transaction(async (transaction) => {
    await lockKeys(transaction, accountId)
    const before = await readKey(transaction, { accountId, id })
    assertKeyRole(caller, before.role as Role)
    const made = await transaction.apiKey.findFirst({ where: { id: newId, accountId } })
    if (made !== null) {
      const key = createApiKey()
      const row = await transaction.apiKey.update({
        where: { id: newId },
        data: keyColumns(made.name, key, newId),
      })
      return { ...keyView(row), key, previous_key_until: validUntil(before) }
    }
    if (hasEnded(before))
      throw conflict(
        'KEY_ENDED',
        `The key “${before.name}” was revoked or has expired, so nothing can take its place. Create a key with POST /v1/keys.`,
      )
    const { name, role, siteIds, labels } = before
    const key = await createKey(transaction, {
      id: newId,
      accountId,
      name,
      role: role as Role,
      siteIds,
      labels,
      expiresAt: end === undefined ? before.expiresAt : end,
    })
    const ended = await transaction.apiKey.update({ where: { id }, data: shortenKey(before, hours) })
    await requirePermanentOwnerKey(transaction, accountId)
    return { ...key, previous_key_until: validUntil(ended) }
  })
}

const hasEnded = ({ revokedAt, expiresAt }: ApiKey): boolean =>
  revokedAt !== null || (expiresAt !== null && expiresAt <= new Date())

/** Until when a key works that is being replaced; null where it has ended. */
const validUntil = (key: ApiKey): string | null =>
  hasEnded(key) ? null : (key.expiresAt?.toISOString() ?? null)

/** What ends a key in so many hours; one that ends earlier does. */
function shortenKey({ expiresAt }: ApiKey, hours: number): { revokedAt: Date } | { expiresAt: Date } {
  if (hours === 0) return { revokedAt: new Date() }
  const end = new Date(Date.now() + hours * HOUR_MS)
  return { expiresAt: expiresAt !== null && expiresAt < end ? expiresAt : end }
}
