import { afterAll, beforeAll, expect, test } from 'vitest'
import { grantCredits } from '../../../src/accounts/credits.ts'
import { GalleyError } from '../../../src/errors.ts'
import { defaultPrices, priceOf } from '../../../src/generation/api/prices.ts'
import { GenerationError } from '../../../src/generation/failure.ts'
import type { JobRun } from '../../../src/generation/jobs/job-run.ts'
import { image } from '../requests.ts'
import { away, type Stage, startStage } from './stage.ts'

/** How a job may go; what is not `done` in the end costs nothing. */
const ways = ['done', 'refused', 'a bug', 'away once', 'taken away, done', 'taken away, refused'] as const
type Way = (typeof ways)[number]

const writer = { name: 'writer', model: 'm1' }
const tiers = ['basic', 'standard', 'advanced'] as const
/** Jobs that are asked for; credits suffice for about a half of them. */
const JOBS = 60
const CREDITS = 140

let stage: Stage
const tries = new Map<string, number>()
const lost = new Set<string>()

async function make(run: JobRun<'image'>): Promise<{ url: string }> {
  const way = run.request.prompt as Way
  const tried = (tries.get(run.id) ?? 0) + 1
  tries.set(run.id, tried)
  if (way.startsWith('taken away') && tried === 1)
    await stage.pool.query('UPDATE generation_job SET fence = fence + 1 WHERE id = $1', [run.id])
  if (way === 'a bug') throw new TypeError('undefined is not a picture')
  if (way.endsWith('refused'))
    throw new GenerationError({ reason: 'PROVIDER_REJECTED', of: 'job', message: 'It will not do that.' })
  if (way === 'away once')
    await run.answer({ step: 'generating', name: 'picture' }, [writer], async () => {
      // one call, not all of the first attempt: three that nobody hears would rightly fail the job
      if (!lost.has(run.id)) {
        lost.add(run.id)
        throw away({ made: true })
      }
      return { provider: 'writer', model: 'm1', body: 'x' }
    })
  return { url: 'https://x.test/made.png' }
}

beforeAll(async () => {
  stage = await startStage({ image: make })
  await stage.pool.query('DELETE FROM credit_entry')
  await stage.pool.query('UPDATE account SET credits = 0')
  await grantCredits(stage.pool, { accountId: stage.accountId, amount: CREDITS })
})

afterAll(() => stage.stop())

test('however jobs end, and however many race for the last credits, what is paid is what was completed', async () => {
  const asked = Array.from({ length: JOBS }, (_, index) =>
    image(ways[(index * 5) % ways.length] as Way, { model: tiers[(index * 7) % tiers.length] }),
  )
  const made = await Promise.all(
    asked.map(async (request) => {
      try {
        return await stage.create('image', request)
      } catch (error) {
        expect(error).toBeInstanceOf(GalleyError)
        expect(error).toMatchObject({ code: 'INSUFFICIENT_CREDITS' })
        return undefined
      }
    }),
  )
  const accepted = made.filter((id) => id !== undefined)
  const jobs = await Promise.all(accepted.map((id) => stage.ended(id)))
  const priced = (request: (typeof asked)[number]) => priceOf('image', request, defaultPrices)
  const [completed, failed] = ['completed', 'failed'].map((status) =>
    jobs.filter((job) => job.status === status),
  )
  expect(completed?.every(({ request }) => /done|once/.test(request.prompt))).toBe(true)
  expect(failed?.every(({ request }) => /refused|bug/.test(request.prompt))).toBe(true)
  expect(completed?.length).toBeGreaterThan(0)
  expect(failed?.length).toBeGreaterThan(0)
  const paid = (completed ?? []).reduce((sum, { request }) => sum + priced(request), 0)
  expect(await stage.credits()).toEqual({ balance: CREDITS - paid, sum: CREDITS - paid })
  const { rows } = await stage.pool.query(
    `SELECT job_id, sum(amount)::int AS amount, count(*)::int AS entries FROM credit_entry
     WHERE kind <> 'grant' GROUP BY job_id`,
  )
  const entered = new Map(rows.map(({ job_id, ...entry }) => [job_id, entry]))
  expect(entered.size).toBe(accepted.length)
  for (const { id, status, request } of jobs)
    expect(entered.get(id)).toEqual(
      status === 'completed' ? { amount: -priced(request), entries: 1 } : { amount: 0, entries: 2 },
    )
})
