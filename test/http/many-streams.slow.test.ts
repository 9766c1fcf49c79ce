import { afterAll, beforeAll, expect, test } from 'vitest'
import { authenticateKey } from '../../src/accounts/authenticate.ts'
import { createKey } from '../../src/accounts/keys.ts'
import type { StreamMessage } from '../../src/changes/streams.ts'
import { startApp, type TestApp } from './app.ts'

const SITES = 30_000
/** As many as a key may have. */
const STREAMS = 25

let app: TestApp
beforeAll(async () => {
  app = await startApp()
  await app.database.pool.query(
    `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, labels, updated_at)
     SELECT gen_random_uuid(), $1, 'S', 'https://s.example', 'https://s.example/wp-json/', 'u', 'unused', '{many}', now()
     FROM generate_series(1, $2::int)`,
    [app.owner.id, SITES],
  )
})
afterAll(() => app.stop())

/** Milliseconds of the processor, until each of these has heard of some changes, one after the other. */
async function costOf(heard: readonly StreamMessage[][]): Promise<number> {
  const began = process.cpuUsage()
  for (let times = 0; times < 4; times += 1) {
    const { rows } = await app.database.pool.query(
      `UPDATE site SET name = name || 'x' WHERE id = (SELECT id FROM site ORDER BY id LIMIT 1) RETURNING id`,
    )
    const told = { changes: [{ kind: 'site', id: rows[0]?.id }] }
    for (const said of heard) {
      await expect.poll(() => said.at(-1)?.data).toEqual(told)
      said.length = 0
    }
  }
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1_000
}

test('many streams of one key that sees many sites cost hardly more than one', async () => {
  const { prisma, pool } = app.database
  const wish = { accountId: app.owner.id, name: 'label', role: 'manager', labels: ['many'] } as const
  const { key } = await createKey(prisma, { ...wish, labels: [...wish.labels] })
  const heard: StreamMessage[][] = []
  const open = async () => {
    const caller = await authenticateKey({ pool }, key)
    expect(caller.siteIds).toHaveLength(SITES)
    const said: StreamMessage[] = []
    heard.push(said)
    return app.streams.open(caller, undefined, {
      send: (saying) => void said.push(saying),
      end: () => undefined,
    })
  }
  const ends = [await open()]
  await costOf(heard)
  const one = await costOf(heard)
  while (ends.length < STREAMS) ends.push(await open())
  const many = await costOf(heard)
  expect(many, `${many} ms of the processor, and ${one} ms for one`).toBeLessThan(5 * one)

  await pool.query(`UPDATE site SET labels = '{}' WHERE id = (SELECT id FROM site ORDER BY id LIMIT 1)`)
  for (const said of heard) await expect.poll(() => said.at(-1)?.event).toBe('reset')
  for (const end of ends) end()
}, 300_000)
