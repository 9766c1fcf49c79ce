import { v7 as uuid } from 'uuid'
import type { ApiKey, Prisma, PrismaClient } from '../database/generated/client.ts'
import { GalleyError } from '../errors.ts'
import { type Page, type PageRequest, toPage } from '../paging.ts'
import { createApiKey, hashToken } from '../secrets/index.ts'
import { owners, type Role } from './rights.ts'
import type { KeyView } from './schema.ts'

interface KeyToMake {
  /** Made where left out. */
  id?: string | undefined
  accountId: string
  name: string
  /** `owner` where left out. */
  role?: Role | undefined
  /** The only sites that it sees; all of its account where both are empty or left out. */
  siteIds?: string[]
  labels?: string[]
  /** Null for never. */
  expiresAt?: Date | null
  /** A key the operator chose; made where left out. */
  key?: string | undefined
}

/** Makes a key of an account. The key itself is returned this once: only its hash is kept. */
export async function createKey(
  prisma: Prisma.TransactionClient,
  { id, name, role = 'owner', key = createApiKey(), ...columns }: KeyToMake,
): Promise<KeyView & { key: string }> {
  const row = await prisma.apiKey.create({ data: { ...columns, role, ...keyFields(name, key, id) } })
  return { ...keyView(row), key }
}

/** What is stored of a key. */
export const keyFields = (name: string, key: string, id: string = uuid()) => ({
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
  const { items, nextCursor } = toPage(rows, limit)
  return { items: items.map(keyView), nextCursor }
}

/**
 * Changes a key within a transaction that no other change to a key of the account is in: two at once could each leave the
 * other's key as the last one of an owner.
 *
 * @param change what to write, by the key as it stands; null for nothing
 * @throws GalleyError 404 `NOT_FOUND`; 409 `LAST_KEY` where no owner would be left who can make another
 */
export async function changeStoredKey(
  prisma: PrismaClient,
  { accountId, id }: { accountId: string; id: string },
  change: (key: ApiKey) => Prisma.ApiKeyUpdateInput | null,
): Promise<KeyView> {
  return prisma.$transaction(async (transaction) => {
    await lockKeys(transaction, accountId)
    const key = await storedKey(transaction, { accountId, id })
    const data = change(key)
    if (data === null) return keyView(key)
    const changed = await transaction.apiKey.update({ where: { id }, data })
    const left = await transaction.apiKey.count({ where: { accountId, ...lasting } })
    if (left === 0) throw lastKey()
    return keyView(changed)
  })
}

/** Keeps every other change to a key of the account waiting until the transaction ends. */
export const lockKeys = (transaction: Prisma.TransactionClient, accountId: string): Promise<unknown> =>
  transaction.$queryRaw`SELECT id FROM account WHERE id = ${accountId}::uuid FOR UPDATE`

/** @throws GalleyError 404 `NOT_FOUND` */
export async function storedKey(
  transaction: Prisma.TransactionClient,
  { accountId, id }: { accountId: string; id: string },
): Promise<ApiKey> {
  const key = await transaction.apiKey.findFirst({ where: { id, accountId } })
  if (key === null) throw keyUnknown(id)
  return key
}

/** The keys with which somebody can always make another: of an owner, without limit and without end. One of them stays. */
const lasting = { role: { in: [...owners] }, revokedAt: null, expiresAt: null }

/** A key as it may always be shown. */
export const keyView = (row: ApiKey): KeyView => ({
  id: row.id,
  name: row.name,
  last_four: row.lastFour,
  role: row.role as Role,
  site_ids: row.siteIds,
  labels: row.labels,
  expires_at: row.expiresAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
  last_used_at: row.lastUsedAt?.toISOString() ?? null,
  revoked_at: row.revokedAt?.toISOString() ?? null,
})

const keyUnknown = (id: string) =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: `This account has no key ${id}. GET /v1/keys lists those it has.`,
  })

const lastKey = () =>
  new GalleyError({
    code: 'LAST_KEY',
    httpStatus: 409,
    message:
      'This is the last key of the account that can create another: of an owner, and without an expiry. Create another such key first.',
  })
