import { afterAll, beforeAll, expect, it } from 'vitest'
import { deleteOldChecks } from '../../src/sites/health/checks.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

it('202-however-many, of which a few go on at once and the others wait for them', async () => {
  for (let n = 0; n < 20; n += 1)
    expect(await app.ask('POST', '/v1/sites/check')).toMatchObject({ status: 202 })
  await app.ask('POST', '/v1/sites/check', { key: app.stranger.key })
  const { rows } = await app.database.pool.query<{ account: string; jobs: number; lanes: number }>(
    `SELECT split_part(queue_name, ':', 2) AS account, count(*)::int AS jobs, count(DISTINCT queue_name)::int AS lanes
     FROM graphile_worker.jobs WHERE task_identifier = 'check_sites' GROUP BY 1 ORDER BY 2`,
  )
  expect(rows).toMatchObject([
    { account: app.stranger.id, jobs: 1 },
    { account: app.owner.id, jobs: 20 },
  ])
  expect(rows[1]?.lanes).toBeLessThanOrEqual(4)
})

it('are removed with their results when they are old, and those of late stay', async () => {
  const { prisma, pool } = app.database
  const check = (days: number) =>
    prisma.siteCheck.create({
      data: {
        id: crypto.randomUUID(),
        accountId: app.owner.id,
        createdAt: new Date(Date.now() - days * 86_400_000),
        results: { create: Array.from({ length: 3 }, () => ({ siteId: crypto.randomUUID(), status: 'ok' })) },
      },
    })
  const [old, late] = [await check(91), await check(89)]
  await deleteOldChecks(pool, 90)
  expect(await prisma.siteCheckResult.count({ where: { checkId: old.id } })).toBe(0)
  expect((await app.ask('GET', `/v1/sites/check/${old.id}`)).status).toBe(404)
  expect((await app.ask('GET', `/v1/sites/check/${late.id}`)).body.data.counts).toMatchObject({ ok: 3 })
})
