import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkProblemsAgain } from '../../src/delivery/site-worker/sweep.ts'
import { type Simulation, startSimulation } from './simulation.ts'

// Outages of sites for which nothing is due: what Galley says of them has to end with them.

let simulation: Simulation
beforeAll(async () => {
  simulation = await startSimulation(4)
})
afterAll(() => simulation.close())

interface SiteAnswer {
  state: string
  since: string | null
  trouble: { code: string } | null
  next_try: string | null
}

const idOf = (index: number): string => simulation.sites[index]?.id ?? ''
const siteOf = async (index: number) =>
  (await simulation.get<{ data: SiteAnswer }>(`/v1/sites/${idOf(index)}`)).data
const check = (index: number) => simulation.galley.call('POST', `/v1/sites/${idOf(index)}/check`)
const waitFor = (index: number, state: string) =>
  expect.poll(async () => (await siteOf(index)).state, { interval: 200 }).toBe(state)

it('a site that only a check has found down is down, is asked again, and works once it answers', async () => {
  simulation.befall(0, 'unavailable')
  await check(0)
  const told = await siteOf(0)
  expect(told).toMatchObject({ state: 'down', trouble: { code: 'site_error' }, next_try: expect.any(String) })
  await expect.poll(() => simulation.sites[0]?.lightQuestions.length, { interval: 200 }).toBeGreaterThan(1)
  expect((await siteOf(0)).since).toBe(told.since)
  simulation.befall(0, null)
  await waitFor(0, 'working')
})

it('a site whose waiting document was cancelled is asked again, and works once it answers', async () => {
  simulation.befall(1, 'parked')
  await simulation.send(1)
  await waitFor(1, 'down')
  const { rows } = await simulation.pool.query('SELECT id FROM delivery WHERE site_id = $1', [idOf(1)])
  await expect
    .poll(async () => (await simulation.galley.call('POST', `/v1/deliveries/${rows[0].id}/cancel`)).status)
    .toBe(200)
  simulation.befall(1, null)
  await waitFor(1, 'working')
})

it('a site whose password a check found refused needs its owner to connect it, and is not asked again', async () => {
  simulation.befall(2, 'password')
  await check(2)
  expect(await siteOf(2)).toMatchObject({
    state: 'needs_owner',
    trouble: { code: 'password_wrong' },
    next_try: null,
  })
  const asked = simulation.sites[2]?.lightQuestions.length
  const { data } = await simulation.get<{ data: { causes: object[] } }>(`/v1/sites/states?site_id=${idOf(2)}`)
  expect(data.causes).toMatchObject([{ code: 'password_wrong', reconnect: true, site_count: 1 }])
  expect(simulation.sites[2]?.lightQuestions.length).toBe(asked)
})

it('what a check found is looked at again after as long as it is old, and keeps its beginning', async () => {
  const { pool } = simulation
  const reported = (agoMinutes: number, sinceMinutes: number) =>
    pool.query(
      `UPDATE site SET report_at = now() - make_interval(mins => $2), report = jsonb_build_object('level', 'problem',
         'since', now() - make_interval(mins => $3), 'checkedAt', now(), 'worse', '[]'::jsonb, 'findings', '[]'::jsonb)
       WHERE id = $1`,
      [idOf(3), agoMinutes, sinceMinutes],
    )
  await reported(40, 90)
  expect(Date.parse((await siteOf(3)).since ?? '')).toBeLessThan(Date.now() - 89 * 60_000)
  await checkProblemsAgain(pool)
  const { rows } = await pool.query(
    `SELECT FROM graphile_worker._private_jobs WHERE key LIKE 'check_site:%' || $1`,
    [idOf(3)],
  )
  expect(rows).toEqual([])
  await reported(60, 90)
  await checkProblemsAgain(pool)
  await waitFor(3, 'working')
})
