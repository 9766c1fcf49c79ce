import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancelJob } from '../../../src/generation/api/actions.ts'
import { defaultPrices } from '../../../src/generation/api/prices.ts'
import type { JobRun } from '../../../src/generation/jobs/job-run.ts'
import { documentRequest, image } from '../requests.ts'
import { type Stage, startStage } from './stage.ts'

let stage: Stage
let work: (run: JobRun) => Promise<void>

beforeAll(async () => {
  const make = async (run: JobRun) => {
    await work(run)
    throw new Error('a cancelled job went on')
  }
  stage = await startStage({ document: make, image: make, audio: make })
})
afterAll(() => stage.stop())

const writer = { name: 'writer', model: 'm1' }
const cancel = (id: string) => cancelJob(stage.pool, defaultPrices, { accountId: stage.accountId, id })

/** Asks a provider that does not answer before the claim is lost. */
const hanging = (run: JobRun, name: string, asked: () => void): Promise<unknown> =>
  run.answer({ step: 'generating', name }, [writer], () => {
    asked()
    return new Promise((_, reject) => {
      run.signal.addEventListener('abort', () => reject(run.signal.reason))
    })
  })

/** Resolves when a job, made by `make`, has come as far as it calls `reached`. */
function untilReached(make: (run: JobRun, reached: () => void) => Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    work = async (run) => void (await make(run, resolve))
  })
}

const refunds = async (id: string) =>
  (await stage.pool.query(`SELECT amount FROM credit_entry WHERE job_id = $1 AND kind = 'refund'`, [id])).rows

test('a document that is cancelled while its text is written gets back the parts that nobody began', async () => {
  const reached = untilReached(async (run, asked) => {
    await run.enter('researching')
    await run.enter('generating')
    await run.expect('generating', 4)
    for (const name of ['outline', 'outline-again', 'outline-by-2', 'outline-by-2-again'])
      await run.keep({ step: 'generating', name }, async () => 'first this')
    await hanging(run, 'section-1', asked)
  })
  const before = await stage.credits()
  const { text, audio } = documentRequest()
  const id = await stage.create(
    'document',
    documentRequest({
      webhook_url: 'https://hook.test/',
      text: { ...text, length: 2_000 },
      image: { model: 'standard', enabled: true },
      audio: { ...audio, enabled: true },
    }),
  )
  const { price } = await stage.job(id)
  await reached
  await cancel(id)
  // Research 4; half of the text, 8; pictures 8; speech 24.
  expect(price).toBe(44)
  const refunded = 36
  expect(await stage.job(id)).toMatchObject({
    status: 'cancelled',
    leased_by: null,
    due_at: null,
    result: null,
  })
  expect(await refunds(id)).toEqual([{ amount: refunded }])
  expect(await stage.credits()).toEqual({
    balance: before.balance - price + refunded,
    sum: before.sum - price + refunded,
  })
  expect((await stage.events(id)).map(({ body }) => body)).toEqual([
    { event: 'document.cancelled', id, status: 'cancelled', refunded },
  ])
  await cancel(id)
  expect(await refunds(id)).toHaveLength(1)
})

test('one part in ten of a price of ten is a whole credit', async () => {
  const reached = untilReached(async (run, asked) => {
    await run.enter('generating')
    await run.expect('generating', 10)
    for (let part = 1; part < 9; part += 1)
      await run.keep({ step: 'generating', name: `section-${part}` }, async () => 'first this')
    await hanging(run, 'section-9', asked)
  })
  const { text } = documentRequest()
  const id = await stage.create(
    'document',
    documentRequest({ text: { ...text, length: 5_000, model: 'basic' }, research: { model: 'basic' } }),
  )
  await reached
  await cancel(id)
  expect(await refunds(id)).toEqual([{ amount: 1 }])
})

test('a picture that was asked for is not refunded, though its file was not made', async () => {
  const reached = untilReached(async (run, asked) => {
    await run.expect('generating', 2)
    const answer = { provider: 'writer', model: 'm1', body: 'sea' }
    await run.answer({ step: 'generating', name: 'picture' }, [writer], async () => answer)
    await hanging(run, 'picture-file', asked)
  })
  const id = await stage.create('image', image('a harbour'))
  await reached
  await cancel(id)
  expect(await stage.job(id)).toMatchObject({ status: 'cancelled' })
  expect(await refunds(id)).toEqual([])
})

test('a job that has ended is not cancelled, nor one of another account', async () => {
  const id = await stage.create('image', image('a lighthouse'))
  await stage.pool.query(
    `UPDATE generation_job SET status = 'completed', ended_at = now(), due_at = NULL, fence = fence + 1 WHERE id = $1`,
    [id],
  )
  await expect(cancel(id)).rejects.toMatchObject({ code: 'JOB_ENDED', httpStatus: 409 })
  const stranger = { accountId: crypto.randomUUID(), id }
  await expect(cancelJob(stage.pool, defaultPrices, stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})
