import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { setFirstAccountCredits } from '../../src/accounts/accounts.ts'
import { authenticateKey } from '../../src/accounts/authenticate.ts'
import { listKeys, revokeKey } from '../../src/accounts/keys.ts'
import { createRecoveryKey, installAdminKey, revealFirstKey } from '../../src/accounts/operator-keys.ts'
import { type Database, openDatabase } from '../../src/database/client.ts'
import { createLog } from '../../src/log/log.ts'
import { createApiKey } from '../../src/secrets/keyring.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

const open = ({ connectionString }: FreshDatabase): Database =>
  openDatabase({ connectionString, poolSize: 3, log: createLog({ logLevel: 'fatal' }) })

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

/** A start that shows what it has to, as far as keys go; `stop` is the end of its process. */
async function start(
  from = database,
): Promise<{ key: string | undefined; text: string; stop(): Promise<void> }> {
  let text = ''
  const stop = await revealFirstKey(from, async (words) => {
    text += words
  })
  return { key: /gly_sk_\w+/.exec(text)?.[0], text, stop }
}

const opens = (key: string | undefined): Promise<string> =>
  authenticateKey(database, key).then(
    () => 'opens',
    ({ code }) => code,
  )

const warnings = () => {
  const lines: string[] = []
  return { lines, log: { warn: (line: unknown) => void lines.push(String(line)) } as never }
}

describe('the first key', () => {
  it('is made with the first account, shown, and opens it', async () => {
    const { key, stop } = await start()
    await stop()
    expect(await opens(key)).toBe('opens')
    expect(await database.prisma.account.count()).toBe(1)
  })

  it('is shown anew by every start until somebody has used one; what was shown before ends', async () => {
    const first = await start()
    await first.stop()
    const second = await start()
    await second.stop()
    expect(second.text).toMatch(/Nobody has used the one that was shown before/)
    expect(await opens(first.key)).toBe('INVALID_API_KEY')
    expect(await opens(second.key)).toBe('opens')
    const third = await start()
    await third.stop()
    expect(third.key).toBeUndefined()
    expect(await opens(second.key)).toBe('opens')
  })

  it('is shown by one of the processes that start at once, and stays while that one lives', async () => {
    const processes = Array.from({ length: 6 }, () => open(fresh))
    const started = await Promise.all(processes.map(start))
    const later = await start()
    const keys = [...started, later].flatMap(({ key }) => key ?? [])
    expect(keys).toHaveLength(1)
    for (const { stop } of [...started, later]) await stop()
    expect(await opens(keys[0])).toBe('opens')
    await Promise.all(processes.map((process) => process.close()))
    expect(await database.prisma.account.count()).toBe(1)
  })

  it('does not count where it could not be shown: the next start shows another', async () => {
    const closed = revealFirstKey(database, () => Promise.reject(new Error('write EPIPE')))
    await expect(closed).rejects.toMatchObject({
      code: 'key_not_shown',
      message: expect.stringContaining('EPIPE'),
    })
    expect(await database.prisma.apiKey.count()).toBe(0)
    const next = await start()
    await next.stop()
    expect(await opens(next.key)).toBe('opens')
  })

  it('does not count where the process dies while it is shown', async () => {
    const dying = open(fresh)
    const shown = revealFirstKey(dying, async () => {
      await database.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      )
      await wait(100)
    })
    await expect(shown).rejects.toThrow()
    await dying.close()
    const next = await start()
    await next.stop()
    expect(await opens(next.key)).toBe('opens')
  })
})

describe('a key that the operator chose', () => {
  it('opens the first account, and none is shown', async () => {
    const key = createApiKey()
    await installAdminKey(database, key, warnings().log)
    await installAdminKey(database, key, warnings().log)
    expect((await start()).key).toBeUndefined()
    expect(await opens(key)).toBe('opens')
    expect(await database.prisma.apiKey.count()).toBe(1)
  })

  it('that has changed is added, and the log says that the one before goes on', async () => {
    const [before, after] = [createApiKey(), createApiKey()]
    await installAdminKey(database, before, warnings().log)
    const { lines, log } = warnings()
    await installAdminKey(database, after, log)
    expect([await opens(before), await opens(after)]).toEqual(['opens', 'opens'])
    expect(lines).toEqual([expect.stringContaining(`ends in ${before.slice(-4)}, still opens`)])
    expect(lines.join()).not.toContain(before)
  })

  it('that was revoked stays so, and the log says it', async () => {
    const key = createApiKey()
    await installAdminKey(database, key, warnings().log)
    await installAdminKey(database, createApiKey(), warnings().log)
    const accountId = (await database.prisma.account.findFirstOrThrow()).id
    const { items } = await listKeys(database.prisma, { accountId, limit: 10 })
    await revokeKey(
      database.prisma,
      { accountId, keyId: '', role: 'operator', siteIds: null, labels: [] },
      items.at(-1)?.id as string,
    )
    const { lines, log } = warnings()
    await installAdminKey(database, key, log)
    expect(lines).toEqual([expect.stringMatching(/was revoked, and no longer works/)])
    expect(await opens(key)).toBe('INVALID_API_KEY')
  })
})

it('a key made for somebody who is locked out opens the first account, beside those that are there', async () => {
  const { key, stop } = await start()
  await stop()
  const another = await createRecoveryKey(database.pool)
  expect([await opens(key), await opens(another)]).toEqual(['opens', 'opens'])
  expect(await database.prisma.account.count()).toBe(1)
})

it('what is done without a key is in the audit log', async () => {
  const { stop } = await start()
  await stop()
  const key = createApiKey()
  await installAdminKey(database, key, warnings().log)
  await createRecoveryKey(database.pool)
  await setFirstAccountCredits(database, 30)
  const entries = await database.prisma.auditEntry.findMany({ orderBy: { id: 'asc' } })
  expect(entries.map(({ actor, action, keyId }) => [actor, action, keyId])).toEqual([
    ['the start of a new Galley', 'key.create', null],
    ['GALLEY_ADMIN_KEY', 'key.create', null],
    ['--new-key', 'key.create', null],
    ['--credits', 'account.grant_credits', null],
  ])
  expect(JSON.stringify(entries)).not.toContain(key)
})

it('when a key was last used is told, and written once an hour', async () => {
  const { key, stop } = await start()
  await stop()
  const accountId = (await database.prisma.account.findFirstOrThrow()).id
  const lastUsed = async () => {
    const { items } = await listKeys(database.prisma, { accountId, limit: 10 })
    return items[0]?.last_used_at
  }
  expect(await lastUsed()).toBeNull()
  await opens(key)
  const first = await lastUsed()
  expect(first).not.toBeNull()
  await opens(key)
  expect(await lastUsed()).toBe(first)
  await database.prisma.apiKey.updateMany({ data: { lastUsedAt: new Date(0) } })
  await opens(key)
  expect(await lastUsed()).not.toBe(new Date(0).toISOString())
})
