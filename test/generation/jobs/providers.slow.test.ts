import { rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { JobSteps } from '../../../src/generation/jobs/job-run.ts'
import { pauseProvider } from '../../../src/generation/jobs/provider-gate.ts'
import type { Provider, RawAnswer } from '../../../src/generation/providers/types.ts'
import { image } from '../requests.ts'
import { away, type Stage, startStage } from './stage.ts'

let stage: Stage
/** What asks for the picture of each prompt: who, and how they answer. */
let candidates: (prompt: string) => readonly Provider[]
let answer: (prompt: string, provider: Provider, key: string) => Promise<RawAnswer>

const part = { step: 'generating', name: 'picture' } as const

/** How a picture is made: by one answer, unless a test makes it otherwise. */
type Make = JobSteps['image']
let make: Make
const ofOneAnswer: Make = async (run) => {
  const { prompt } = run.request
  const { body } = await run.answer(part, candidates(prompt), (provider, { idempotencyKey }) =>
    answer(prompt, provider, idempotencyKey),
  )
  return { url: String(body) }
}

beforeAll(async () => {
  stage = await startStage({ image: (run) => make(run) })
})

beforeEach(async () => {
  make = ofOneAnswer
  await stage.pool.query('DELETE FROM generation_provider')
})

afterAll(() => stage.stop())

const named = (name: string, concurrency?: number): Provider => ({ name, model: 'm', concurrency })
const answered = ({ name, model }: Provider): RawAnswer => ({ provider: name, model, body: name })
const create = (prompts: string[]) =>
  Promise.all(prompts.map((prompt) => stage.create('image', image(prompt))))

test('no more requests go to a provider at once than it has places, and all jobs have their turn', async () => {
  let atOnce = 0
  let most = 0
  candidates = () => [named('busy', 2)]
  answer = async (_, provider) => {
    atOnce += 1
    most = Math.max(most, atOnce)
    await wait(15)
    atOnce -= 1
    return answered(provider)
  }
  const ids = await create(Array.from({ length: 12 }, (_, n) => `picture ${n}`))
  for (const id of ids) expect(await stage.ended(id)).toMatchObject({ status: 'completed', attempts: 0 })
  expect(most).toBe(2)
})

test('jobs that wait for one provider, however many, keep none from another', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  candidates = (prompt) => [named(prompt.startsWith('slow') ? 'slow' : 'quick', 2)]
  answer = async (_, provider) => {
    if (provider.name === 'slow') await held
    return answered(provider)
  }
  const slow = await create(Array.from({ length: 80 }, (_, n) => `slow ${n}`))
  await expect
    .poll(async () => {
      const { rows } = await stage.pool.query(
        `SELECT count(*)::int AS waiting FROM generation_job WHERE waits_for = 'slow'`,
      )
      return rows[0].waiting
    })
    // Two at work, four in line.
    .toBe(74)
  expect(await stage.job(slow[79] as string)).toMatchObject({ status: 'pending', started_at: null })
  const [quick = ''] = await create(['quick'])
  expect(await stage.ended(quick)).toMatchObject({ result: { url: 'quick' } })
  release()
  for (const id of slow) expect(await stage.ended(id)).toMatchObject({ status: 'completed', attempts: 0 })
})

test('a failure that made nothing goes to the next candidate', async () => {
  candidates = () => [named('first'), named('second')]
  answer = async (_, provider) => {
    if (provider.name === 'first') throw away()
    return answered(provider)
  }
  const [id = ''] = await create(['a boat'])
  expect(await stage.ended(id)).toMatchObject({ result: { url: 'second' }, attempts: 0 })
  expect(await stage.calls(id)).toMatchObject([
    { provider: 'first', outcome: 'failed', twice: false },
    { provider: 'second', outcome: 'answered', twice: false },
  ])
})

test('one that may have made something is asked again itself, under the same key, and that is shown', async () => {
  const keys: string[] = []
  candidates = () => [named('first'), named('second')]
  answer = async (_, provider, key) => {
    keys.push(key)
    if (keys.length === 1) throw away({ made: true })
    return answered(provider)
  }
  const [id = ''] = await create(['a boat'])
  expect(await stage.ended(id)).toMatchObject({ result: { url: 'first' } })
  expect(await stage.calls(id)).toMatchObject([
    { provider: 'first', outcome: 'lost', twice: false, same: true },
    { provider: 'first', outcome: 'answered', twice: true, same: false },
  ])
  expect(keys[1]).toBe(keys[0])
})

test('and nobody else before it, be it that others are asked first', async () => {
  const asked: string[] = []
  candidates = () => [named('first'), named('second')]
  answer = async (_, provider) => {
    asked.push(provider.name)
    if (asked.length === 1) throw away()
    if (asked.length === 2) throw away({ made: true })
    return answered(provider)
  }
  const [id = ''] = await create(['a boat'])
  expect(await stage.ended(id)).toMatchObject({ result: { url: 'second' } })
  expect(asked).toEqual(['first', 'second', 'second'])
})

test('nor when the job was given back meanwhile, since that one asked for a rest', async () => {
  const asked: string[] = []
  candidates = () => [named('first'), named('second')]
  answer = async (_, provider) => {
    asked.push(provider.name)
    if (asked.length === 1) throw away()
    if (asked.length === 2) throw away({ made: true, retryAfterMs: 500 })
    return answered(provider)
  }
  const [id = ''] = await create(['a boat'])
  expect(await stage.ended(id)).toMatchObject({ result: { url: 'second' } })
  expect(asked).toEqual(['first', 'second', 'second'])
})

test('nor when somebody else has taken the job over while it was asked', async () => {
  const asked: string[] = []
  let abandon = () => {}
  candidates = () => [named('first'), named('second')]
  answer = async (_, provider) => {
    asked.push(provider.name)
    if (asked.length === 1) throw away()
    if (asked.length === 2) await new Promise<void>((_, reject) => (abandon = () => reject(away())))
    return answered(provider)
  }
  const [id = ''] = await create(['a boat'])
  await expect.poll(() => asked.length).toBe(2)
  // As a sweep frees what a dead process held.
  await stage.pool.query('UPDATE generation_job SET leased_by = NULL, due_at = now() WHERE id = $1', [id])
  expect(await stage.ended(id)).toMatchObject({ result: { url: 'second' } })
  abandon()
  expect(asked).toEqual(['first', 'second', 'second'])
})

test('one that the settings no longer name is not waited for', async () => {
  const asked: string[] = []
  let names = ['first']
  candidates = () => names.map((name) => named(name))
  answer = async (_, provider) => {
    asked.push(provider.name)
    if (asked.length > 1) return answered(provider)
    names = ['second']
    throw away({ made: true, retryAfterMs: 500 })
  }
  const [id = ''] = await create(['a boat'])
  expect(await stage.ended(id)).toMatchObject({ result: { url: 'second' } })
  expect(asked).toEqual(['first', 'second'])
})

test('an answer that is never heard is not asked for without end', async () => {
  let asked = 0
  candidates = () => [named('deaf')]
  answer = async () => {
    asked += 1
    throw away({ made: true })
  }
  const [id = ''] = await create(['a boat'])
  const { status, error } = (await stage.ended(id)) as { status: string; error: { message: string } }
  expect(status).toBe('failed')
  // It repeats what the provider was last heard to say.
  expect(error.message).toMatch(/asked 3 times .* gave no answer that can be used: .+\. It may have charged/)
  expect(asked).toBe(3)
})

test('after three answers of one provider that are never heard, the next one is asked', async () => {
  const asked: string[] = []
  candidates = () => [named('mumbler'), named('speaker')]
  answer = async (_, provider) => {
    asked.push(provider.name)
    if (provider.name === 'mumbler') throw away({ made: true })
    return answered(provider)
  }
  const [id = ''] = await create(['a boat'])
  expect(await stage.ended(id)).toMatchObject({ status: 'completed', result: { url: 'speaker' } })
  expect(asked).toEqual(['mumbler', 'mumbler', 'mumbler', 'speaker'])
  // Nobody asks it any more when its pause is over, and the next job can at once.
  const { rows } = await stage.pool.query(
    `SELECT paused_until <= now() AS over FROM generation_provider WHERE name = 'mumbler'`,
  )
  expect(rows).toEqual([{ over: true }])
})

test('a provider that asks for a rest gets it from all, and then one probe; no job pays for that', async () => {
  const asked: number[] = []
  candidates = () => [named('tired', 3)]
  answer = async (_, provider) => {
    const now = performance.now()
    asked.push(now)
    // Those that were under way beside the first may fail as well.
    if (now - (asked[0] as number) < 400) throw away({ retryAfterMs: 3_000 })
    await wait(300)
    return answered(provider)
  }
  const ids = await create(['one', 'two', 'three', 'four', 'five'])
  for (const id of ids) expect(await stage.ended(id)).toMatchObject({ status: 'completed', attempts: 0 })
  const [first = 0] = asked
  const [probe = 0, next = 0] = asked.filter((at) => at - first >= 400)
  expect(probe - first).toBeGreaterThan(2_900)
  // Nobody beside the probe, until it has its answer.
  expect(next - probe).toBeGreaterThan(280)
  const { rows } = await stage.pool.query('SELECT name, paused_until, trouble FROM generation_provider')
  expect(rows).toEqual([{ name: 'tired', paused_until: null, trouble: null }])
})

test('a pause that another process set is kept', async () => {
  await stage.pool.query(
    `INSERT INTO generation_provider (name, paused_until, trouble_count, trouble)
     VALUES ('elsewhere', now() + interval '1 hour', 1, '{"code": "PROVIDER_UNAVAILABLE", "message": "away"}')`,
  )
  let asked = 0
  candidates = () => [named('elsewhere')]
  answer = async (_, provider) => {
    asked += 1
    return answered(provider)
  }
  const [id = ''] = await create(['a boat'])
  await expect.poll(async () => (await stage.job(id)).waits_for).toBe('elsewhere')
  expect(asked).toBe(0)
  await stage.pool.query('UPDATE generation_provider SET paused_until = now()')
  expect(await stage.ended(id)).toMatchObject({
    status: 'completed',
    attempts: 0,
    result: { url: 'elsewhere' },
  })
  expect(asked).toBe(1)
})

test.each([
  ['that has waited a day for a provider in trouble has failed, and says for which', '25 hours'],
  ['whose provider was busy for a day, and is in trouble for a moment, waits on', '1 second'],
])('a job %s', async (_, since) => {
  await stage.pool.query(
    `INSERT INTO generation_provider (name, paused_until, trouble_count, trouble, trouble_since)
     VALUES ('gone', now() + interval '1 hour', 9, '{"code": "PROVIDER_UNAVAILABLE", "message": "away"}', now() - $1::interval)`,
    [since],
  )
  candidates = () => [named('gone')]
  answer = async (_, provider) => answered(provider)
  const [id = ''] = await create(['a boat'])
  await expect.poll(async () => (await stage.job(id)).waits_for).toBe('gone')
  // As if it had been its turn just now.
  await stage.pool.query(
    `UPDATE generation_job SET stalled_since = now() - interval '25 hours', waits_for = '' WHERE id = $1`,
    [id],
  )
  await expect.poll(async () => (await stage.job(id)).fence).toBe(2)
  await stage.pool.query('UPDATE generation_provider SET paused_until = now()')
  const { status, error } = await stage.ended(id)
  const message = expect.stringContaining('The provider gone')
  expect({ status, error }).toMatchObject(
    since === '25 hours'
      ? { status: 'failed', error: { code: 'PROVIDER_UNAVAILABLE', message } }
      : { status: 'completed', error: null },
  )
})

test('a job whose provider has one trouble after another for a day has failed as well', async () => {
  const pause = (action: 'owner' | undefined) =>
    pauseProvider({ pool: stage.pool, log: pino({ level: 'silent' }) }, named('moody'), {
      failure: away(action && { action }),
      probing: true,
      firstMs: 3_600_000,
    })
  await pause(undefined)
  await stage.pool.query(`UPDATE generation_provider SET trouble_since = now() - interval '25 hours'`)
  await pause('owner')
  await pause(undefined)
  candidates = () => [named('moody')]
  const [id = ''] = await create(['a boat'])
  await expect.poll(async () => (await stage.job(id)).waits_for).toBe('moody')
  await stage.pool.query(
    `UPDATE generation_job SET stalled_since = now() - interval '25 hours', waits_for = '' WHERE id = $1`,
    [id],
  )
  expect(await stage.ended(id)).toMatchObject({ status: 'failed', error: { code: 'PROVIDER_UNAVAILABLE' } })
})

test('a job that fails a provider which serves others fails by itself', async () => {
  candidates = () => [named('choosy')]
  answer = async (prompt, provider) => {
    if (prompt === 'poison') throw away()
    return answered(provider)
  }
  const [poison = ''] = await create(['poison'])
  let ended = false
  const end = stage.ended(poison).finally(() => {
    ended = true
  })
  for (let n = 0; !ended; n += 1) {
    const [id = ''] = await create([`picture ${n}`])
    expect(await stage.ended(id)).toMatchObject({ status: 'completed', attempts: 0 })
    await wait(50)
  }
  expect(await end).toMatchObject({ status: 'failed', error: { code: 'PROVIDER_UNAVAILABLE' } })
})

test('one that failed it before and has served others since is tried again beside the next candidate', async () => {
  let rests = true
  candidates = () => [named('shaky'), named('next')]
  answer = async (_, provider) => {
    if (rests) throw away({ retryAfterMs: 60_000 })
    if (provider.name === 'shaky') throw away()
    return answered(provider)
  }
  const [id = ''] = await create(['a boat'])
  await expect.poll(async () => (await stage.job(id)).waits_for).toMatch(/./)
  rests = false
  // As after the probe of another process.
  await stage.pool.query(
    'UPDATE generation_provider SET paused_until = NULL, trouble = NULL, trouble_count = 0, served_at = now()',
  )
  expect(await stage.ended(id)).toMatchObject({ result: { url: 'next' }, attempts: 0 })
})

test.each([
  ['asks for a rest', { retryAfterMs: 300 }],
  ['waits for its operator', { action: 'owner' as const }],
])('that a provider %s never counts against a job, however often', async (_, failure) => {
  const refused = new Set<string>()
  make = async (run) => {
    for (const name of ['one', 'two', 'three', 'four', 'five'])
      await run.answer({ step: 'generating', name }, [named('busy')], async (provider) => {
        if (refused.has(name)) return answered(provider)
        refused.add(name)
        throw away(failure)
      })
    return { url: 'made' }
  }
  const [id = ''] = await create(['a boat'])
  expect(await stage.ended(id)).toMatchObject({ status: 'completed', attempts: 0 })
})

test('a job that gets on has its attempts anew', async () => {
  const failed: Record<string, number> = {}
  make = async (run) => {
    for (const name of ['one', 'two'])
      await run.keep({ step: 'generating', name }, async () => {
        failed[name] = (failed[name] ?? 0) + 1
        if (failed[name] < 3) throw new Error('this part cannot be made yet')
        return name
      })
    return { url: 'made' }
  }
  const [id = ''] = await create(['a boat'])
  expect(await stage.ended(id)).toMatchObject({ status: 'completed' })
  expect(failed).toEqual({ one: 3, two: 3 })
})

/** A stage with settings of its own. */
async function startOwn(settings: Parameters<typeof startStage>[1]): Promise<Stage> {
  const own = await startStage({ image: ofOneAnswer }, settings)
  onTestFinished(() => own.stop())
  return own
}

test('calls that made nothing count for no limit', async () => {
  const own = await startOwn({ budgetOfJob: { calls: 1, micros: 1_000 } })
  candidates = () => [named('away'), named('there')]
  answer = async (_, provider) => {
    if (provider.name === 'away') throw away({ retryAfterMs: 60_000 })
    return answered(provider)
  }
  const ids = [await own.create('image', image('one')), await own.create('image', image('two'))]
  for (const id of ids) expect(await own.ended(id)).toMatchObject({ result: { url: 'there' } })
})

test('an answer that its store does not take at once is kept until it does, and not asked for again', async () => {
  const files = dirname(stage.storage.unfinished)
  let asked = 0
  candidates = () => [named('painter')]
  answer = async (_, provider) => {
    asked += 1
    // What stands where the folder should be.
    await writeFile(files, '')
    setTimeout(() => void rm(files), 100)
    return { ...answered(provider), body: Buffer.from('a picture') }
  }
  const [id = ''] = await create(['a boat'])
  expect(await stage.ended(id)).toMatchObject({ status: 'completed', attempts: 0 })
  expect(asked).toBe(1)
})

test('a store that takes nothing is what the job fails with', async () => {
  const files = dirname(stage.storage.unfinished)
  await rm(files, { recursive: true, force: true })
  await writeFile(files, '')
  onTestFinished(() => rm(files))
  candidates = () => [named('painter')]
  answer = async (_, provider) => ({ ...answered(provider), body: Buffer.from('a picture') })
  const [id = ''] = await create(['a boat'])
  expect(await stage.ended(id)).toMatchObject({ status: 'failed', error: { code: 'STORAGE_FAILED' } })
})

test('be it one that lets nobody connect, as a database would that is away', async () => {
  const own = await startOwn({
    s3: {
      bucket: 'pictures',
      endpoint: 'http://127.0.0.1:1',
      region: 'us-east-1',
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
      prefix: '',
    },
  })
  let asked = 0
  candidates = () => [named('painter')]
  answer = async (_, provider) => {
    asked += 1
    return { ...answered(provider), body: Buffer.from('a picture') }
  }
  const id = await own.create('image', image('a boat'))
  expect(await own.ended(id)).toMatchObject({ status: 'failed', error: { code: 'STORAGE_FAILED' } })
  expect(asked).toBe(4)
})
