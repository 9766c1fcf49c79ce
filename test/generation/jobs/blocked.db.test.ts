import { Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { quotePrice } from '../../../src/generation/api/create.ts'
import { getJob, readJobs } from '../../../src/generation/api/jobs.ts'
import { defaultPrices } from '../../../src/generation/api/prices.ts'
import { jobStatus } from '../../../src/generation/api/status.ts'
import { GenerationError } from '../../../src/generation/failure.ts'
import { findBlockedProviders } from '../../../src/generation/jobs/blocked-providers.ts'
import type { PictureProvider, Provider, Providers } from '../../../src/generation/providers/types.ts'
import { noProviders } from '../providers.ts'
import { image } from '../requests.ts'
import { away, startStage } from './stage.ts'

const part = { step: 'generating', name: 'picture' } as const
const SENTENCE = 'painter does not accept Galley’s key. Galley’s operator can set another in GALLEY_AI_KEY.'

const refused = () =>
  new GenerationError({ reason: 'PROVIDER_UNAVAILABLE', of: 'provider', action: 'owner', message: SENTENCE })

/** A stage with a painter that refuses the key until it is set right. */
async function startPainter(failure: () => Error = refused) {
  const painter = { right: false, asked: 0, takesMs: 0 }
  const provider: PictureProvider = {
    name: 'painter',
    model: 'paint-1',
    notice: null,
    cannot: () => undefined,
    async draw(_, { signal }) {
      painter.asked += 1
      if (painter.takesMs > 0) await wait(painter.takesMs, undefined, { signal })
      if (!painter.right) throw failure()
      return { provider: 'painter', model: 'paint-1', body: 'a picture' }
    },
    read: async () => Buffer.from(''),
  }
  const providers: Providers = { ...noProviders, pictures: () => [provider] }
  const errors: string[] = []
  const log = pino(
    { level: 'error' },
    new Writable({
      write: (line, _, done) => {
        errors.push(JSON.parse(String(line)).msg)
        done()
      },
    }),
  )
  const stage = await startStage(
    {
      image: async (run) => {
        const { body } = await run.answer(part, [provider], (one, context) =>
          one.draw(image('') as never, context),
        )
        return { url: String(body) }
      },
    },
    { providers, log },
  )
  onTestFinished(() => stage.stop())
  const { pool, accountId } = stage
  return {
    ...{ painter, stage, pool, accountId, errors },
    price: () =>
      quotePrice(
        { pool, providers, prices: defaultPrices },
        { accountId, kind: 'image', request: image('a boat'), check: async () => undefined },
      ),
    /** As if it had been refused for some minutes. */
    afterMinutes: () =>
      pool.query(
        `UPDATE generation_provider SET paused_until = now(),
           trouble = trouble || jsonb_build_object('since', now() - interval '5 minutes')`,
      ),
  }
}

test('a job says what it waits for and since when, fails within minutes, and new ones are refused until it is set right', async () => {
  const { painter, stage, pool, accountId, errors, price, afterMinutes } = await startPainter()
  expect(await price()).toMatchObject({ unavailable: null })
  const id = await stage.create('image', image('a boat'))
  await expect.poll(async () => (await stage.job(id)).stalled_since).not.toBeNull()
  const waiting = { reason: 'operator', provider: 'painter', since: expect.any(String), message: SENTENCE }
  expect(await getJob(pool, { accountId, id })).toMatchObject({ status: 'generating', error: null, waiting })
  expect(await readJobs(pool, accountId, [id])).toMatchObject([{ id, waiting }])
  expect(await jobStatus(pool, { accountId, kind: 'image', id })).toMatchObject({ waiting })

  await expect(stage.create('image', image('another boat'))).rejects.toMatchObject({
    code: 'PROVIDER_UNAVAILABLE',
    httpStatus: 503,
    message: SENTENCE,
  })
  expect(await price()).toMatchObject({ unavailable: { message: SENTENCE, settings: [] } })

  await afterMinutes()
  const { status, error, stalled_since } = await stage.ended(id)
  expect({ status, error, stalled_since }).toEqual({
    status: 'failed',
    error: {
      step: 'generating',
      code: 'PROVIDER_UNAVAILABLE',
      message: `${SENTENCE} Try again after that.`,
    },
    stalled_since: null,
  })
  expect(errors).toEqual([`jobs are refused until the operator acts: ${SENTENCE}`])

  // Nobody may order anything: a trial finds out.
  painter.right = true
  await pool.query('UPDATE generation_provider SET paused_until = now()')
  await expect.poll(async () => (await findBlockedProviders(pool)).size).toBe(0)
  expect(await price()).toMatchObject({ unavailable: null })
  const next = await stage.create('image', image('another boat'))
  expect(await stage.ended(next)).toMatchObject({ status: 'completed', result: { url: 'a picture' } })
})

test('a trial waits for a provider that takes its time as long as a job does', async () => {
  const { painter, stage, pool, afterMinutes } = await startPainter()
  const id = await stage.create('image', image('a boat'))
  await expect.poll(async () => (await stage.job(id)).stalled_since).not.toBeNull()
  await afterMinutes()
  expect(await stage.ended(id)).toMatchObject({ status: 'failed' })
  // Half a minute, in small.
  const { timeout } = AbortSignal
  const shortened = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((ms) => timeout.call(AbortSignal, ms / 300))
  onTestFinished(() => shortened.mockRestore())
  Object.assign(painter, { right: true, takesMs: 500 })
  await pool.query('UPDATE generation_provider SET paused_until = now()')
  await expect.poll(async () => (await findBlockedProviders(pool)).size, { timeout: 5_000 }).toBe(0)
})

test('one that works again within minutes costs its jobs nothing', async () => {
  const { painter, stage } = await startPainter()
  const id = await stage.create('image', image('a boat'))
  await expect.poll(async () => (await stage.job(id)).stalled_since).not.toBeNull()
  painter.right = true
  expect(await stage.ended(id)).toMatchObject({ status: 'completed', attempts: 0, stalled_since: null })
})

test('trouble that passes by itself is said, refuses nobody, and outlasts minutes', async () => {
  const outage = () => away({ retryAfterMs: 60_000 })
  const { painter, stage, pool, accountId, errors, price, afterMinutes } = await startPainter(outage)
  const id = await stage.create('image', image('a boat'))
  await expect.poll(async () => (await stage.job(id)).stalled_since).not.toBeNull()
  expect((await getJob(pool, { accountId, id })).waiting).toMatchObject({
    reason: 'provider_trouble',
    provider: 'painter',
    message: 'The provider is away.',
  })
  expect(await price()).toMatchObject({ unavailable: null })
  painter.right = true
  await afterMinutes()
  expect(await stage.ended(id)).toMatchObject({ status: 'completed' })
  expect(errors).toEqual([])
})

test('models that their provider does not know are each blocked, and keep none of its other models', async () => {
  const gone = () =>
    new GenerationError({
      ...{ reason: 'PROVIDER_UNAVAILABLE', of: 'provider', action: 'owner', ofModel: true },
      message: 'It knows no such model.',
    })
  const models = { basic: 'gone-1', standard: 'there-1', advanced: 'gone-2' }
  const painterOf = (model: string): PictureProvider => ({
    ...{ name: 'painter', model, notice: null, cannot: () => undefined },
    read: async () => Buffer.from(''),
    async draw() {
      if (model !== models.standard) throw gone()
      return { provider: 'painter', model, body: 'a picture' }
    },
  })
  const providers: Providers = {
    ...noProviders,
    pictures: (tier) => [painterOf(models[tier])],
  }
  const stage = await startStage(
    {
      image: async (run) => {
        const { body } = await run.answer(part, providers.pictures(run.request.model), (one, context) =>
          one.draw(image('') as never, context),
        )
        return { url: String(body) }
      },
    },
    { providers },
  )
  onTestFinished(() => stage.stop())
  const boat = await stage.create('image', image('a boat', { model: 'basic' }))
  await expect.poll(async () => (await stage.job(boat)).stalled_since).not.toBeNull()
  const wreck = await stage.create('image', image('a wreck', { model: 'advanced' }))
  await expect.poll(async () => (await stage.job(wreck)).stalled_since).not.toBeNull()
  for (const model of ['basic', 'advanced'] as const)
    await expect(stage.create('image', image('a boat', { model }))).rejects.toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
    })
  const shore = await stage.create('image', image('a shore'))
  expect(await stage.ended(shore)).toMatchObject({ status: 'completed', attempts: 0 })
  await stage.pool.query(
    `UPDATE generation_provider SET paused_until = now(),
       trouble = trouble || jsonb_build_object('since', now() - interval '5 minutes')`,
  )
  for (const id of [boat, wreck])
    expect((await stage.ended(id)).error).toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
      message: 'It knows no such model. Try again after that.',
    })
})

test('a provider that refuses the key is left alone after one request, and the next one is asked', async () => {
  let asked = 0
  const candidates: Provider[] = ['refuses', 'works'].map((name) => ({ name, model: 'm' }))
  const stage = await startStage({
    image: async (run) => {
      const { body } = await run.answer(part, candidates, async ({ name, model }) => {
        if (name === 'works') return { provider: name, model, body: name }
        asked += 1
        throw refused()
      })
      return { url: String(body) }
    },
  })
  onTestFinished(() => stage.stop())
  const id = await stage.create('image', image('a boat on a lake'))
  expect(await stage.ended(id)).toMatchObject({ result: { url: 'works' } })
  expect(asked).toBe(1)
})

test.each(['PROVIDER_REJECTED', 'INVALID_OUTPUT'] as const)(
  'after %s of one provider the next one is asked, and where all fail so, the job has the first failure',
  async (reason) => {
    const failures: string[] = []
    let willing = true
    const candidates: Provider[] = ['first', 'second'].map((name) => ({ name, model: 'm' }))
    const stage = await startStage({
      image: async (run) => {
        const { body } = await run.answer(part, candidates, async ({ name, model }) => {
          if (name === 'second' && willing) return { provider: name, model, body: name }
          failures.push(name)
          throw new GenerationError({
            reason,
            of: 'job',
            message: `No, says the ${name}.`,
            made: name === 'first',
          })
        })
        return { url: String(body) }
      },
    })
    onTestFinished(() => stage.stop())
    const id = await stage.create('image', image('a boat'))
    expect(await stage.ended(id)).toMatchObject({ status: 'completed', result: { url: 'second' } })
    willing = false
    const hopeless = await stage.create('image', image('a wreck'))
    expect((await stage.ended(hopeless)).error).toMatchObject({
      code: reason,
      message: 'No, says the first.',
    })
    expect(failures).toEqual(['first', 'first', 'second'])
    expect((await stage.calls(hopeless)).map(({ outcome }) => outcome)).toEqual(['unusable', 'failed'])
  },
)
