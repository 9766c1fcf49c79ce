import { v7 as uuid } from 'uuid'
import type { ApiKey, Prisma, PrismaClient } from '../database/generated/client.ts'
import { GalleyError } from '../errors.ts'
import { type Page, type PageRequest, toPage } from '../paging.ts'
import { createApiKey, hashToken } from '../secrets/index.ts'
import type { Role } from './rights.ts'
import type { KeyView } from './schema.ts'

interface NewKey {
  accountId: string
  name: string
  /** `owner` where left out. */
  role?: Role | undefined
  /** A key the operator chose; made where left out. */
  key?: string | undefined
}

/** Makes a key of an account. The key itself is returned this once: only its hash is kept. */
export async function createKey(
  prisma: Prisma.TransactionClient,
  { accountId, name, role = 'owner', key = createApiKey() }: NewKey,
): Promise<KeyView & { key: string }> {
  const row = await prisma.apiKey.create({ data: { accountId, role, ...keyFields(name, key) } })
  return { ...keyView(row), key }
}

/** What is stored of a key. */
export const keyFields = (name: string, key: string) => ({
  id: uuid(),
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
 * Ends a key at once; doing it again changes nothing.
 *
 * @throws GalleyError 404 `NOT_FOUND`; 409 `LAST_KEY`, since nobody could make another
 */
export async function revokeKey(
  prisma: PrismaClient,
  { accountId, id }: { accountId: string; id: string },
): Promise<KeyView> {
  return prisma.$transaction(async (transaction) => {
    // One revocation of an account at a time, or two could each leave the other's key as the last.
    await transaction.$queryRaw`SELECT id FROM account WHERE id = ${accountId}::uuid FOR UPDATE`
    const key = await transaction.apiKey.findFirst({ where: { id, accountId } })
    if (key === null) throw keyUnknown(id)
    if (key.revokedAt !== null) return keyView(key)
    const others = await transaction.apiKey.count({ where: { accountId, revokedAt: null, id: { not: id } } })
    if (others === 0) throw lastKey()
    return keyView(await transaction.apiKey.update({ where: { id }, data: { revokedAt: new Date() } }))
  })
}

const keyView = (row: ApiKey): KeyView => ({
  id: row.id,
  name: row.name,
  last_four: row.lastFour,
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
    message: 'This is the last key of the account, and without one nobody gets in. Create another first.',
  })
