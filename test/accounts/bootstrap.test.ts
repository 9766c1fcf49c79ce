import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { authenticateKey } from '../../src/accounts/authenticate.ts'
import { bootstrapAccount } from '../../src/accounts/bootstrap.ts'
import { listKeys, revokeKey } from '../../src/accounts/keys.ts'
import { type Database, openDatabase } from '../../src/database/index.ts'
import { createLog } from '../../src/log.ts'
import { createApiKey } from '../../src/secrets/index.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

const open = ({ connectionString }: FreshDatabase): Database =>
  openDatabase({ connectionString, poolSize: 2, log: createLog({ logLevel: 'fatal' }) })

let fresh: FreshDatabase
let database: Database
beforeEach(async () => {
  fresh = await freshDatabase()
  database = open(fresh)
})
afterEach(async () => {
  await database.close()
  await fresh.drop()
})

describe('the first start', () => {
  it('makes an account and a key that opens it', async () => {
    const { accountId, newKey } = await bootstrapAccount(database)
    expect(await authenticateKey(database, newKey)).toMatchObject({ accountId })
  })

  it('takes the key it is given, and shows none', async () => {
    const adminKey = createApiKey()
    const { accountId, newKey } = await bootstrapAccount(database, { adminKey })
    expect(newKey).toBeUndefined()
    expect(await authenticateKey(database, adminKey)).toMatchObject({ accountId })
  })

  it('makes one account and shows one key, however many processes start at once', async () => {
    const processes = Array.from({ length: 6 }, () => open(fresh))
    const started = await Promise.all(processes.map((process) => bootstrapAccount(process)))
    await Promise.all(processes.map((process) => process.close()))
    expect(new Set(started.map(({ accountId }) => accountId)).size).toBe(1)
    expect(started.filter(({ newKey }) => newKey !== undefined)).toHaveLength(1)
    expect(await database.prisma.account.count()).toBe(1)
    expect(await database.prisma.apiKey.count()).toBe(1)
  })
})

describe('a later start', () => {
  it('changes nothing and shows nothing', async () => {
    const first = await bootstrapAccount(database)
    expect(await bootstrapAccount(database)).toEqual({ accountId: first.accountId })
    expect(await database.prisma.apiKey.count()).toBe(1)
  })

  it('adds a key that it is given, to the same account', async () => {
    const { accountId } = await bootstrapAccount(database)
    const adminKey = createApiKey()
    await bootstrapAccount(database, { adminKey })
    await bootstrapAccount(database, { adminKey })
    expect(await authenticateKey(database, adminKey)).toMatchObject({ accountId })
    expect(await database.prisma.apiKey.count()).toBe(2)
  })

  it('does not bring back a key that was revoked', async () => {
    const adminKey = createApiKey()
    const { accountId } = await bootstrapAccount(database)
    await bootstrapAccount(database, { adminKey })
    const { items } = await listKeys(database.prisma, { accountId, limit: 10 })
    const id = items.find(({ name }) => name === 'GALLEY_ADMIN_KEY')?.id as string
    await revokeKey(database.prisma, { accountId, id })
    await bootstrapAccount(database, { adminKey })
    await expect(authenticateKey(database, adminKey)).rejects.toMatchObject({ code: 'INVALID_API_KEY' })
  })
})
