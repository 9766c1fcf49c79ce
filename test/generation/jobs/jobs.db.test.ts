import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createByteBudget } from '../../../src/bytes/budget.ts'
import type { DocumentResult } from '../../../src/contract/generation/results.ts'
import { GenerationError } from '../../../src/generation/failure.ts'
import type { JobRun } from '../../../src/generation/jobs/job-run.ts'
import { JobLedger } from '../../../src/generation/jobs/ledger.ts'
import { purgeJobs } from '../../../src/generation/jobs/worker.ts'
import { removeExpired } from '../../../src/generation/storage/file-rows.ts'
import { documentRequest, image } from '../requests.ts'
import { type Stage, startStage } from './stage.ts'

let stage: Stage
/** How each prompt is made. */
const ways = new Map<string, (run: JobRun<'image'>) => Promise<{ url: string }>>()
let makeDocument: (run: JobRun<'document'>) => Promise<DocumentResult>

const writer = { name: 'writer', model: 'm1' }
const said = (body: string) => async () => ({ provider: 'writer', model: 'm1', body, costMicros: 7 })

beforeAll(async () => {
  stage = await startStage({
    image: (run) => (ways.get(run.request.prompt) as NonNullable<ReturnType<typeof ways.get>>)(run),
    document: (run) => makeDocument(run),
  })
})

afterAll(() => stage.stop())

const finished: DocumentResult = {
  title: 'The sea',
  description: 'What the sea is.',
  content: {
    type: 'document',
    version: '1.0',
    meta: {
      title: 'The sea',
      slug: 'the-sea',
      description: 'What the sea is.',
      word_count: 2,
      reading_time: '1 min read',
    },
    content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Wet, mostly.' }] }],
  },
  word_count: 2,
  reading_time: '1 min read',
}

test('a job is made, kept with its calls, and told to who asked for it', async () => {
  ways.set('a lighthouse', async (run) => {
    await run.expect('generating', 2)
    run.warn({ code: 'picture_notice', message: 'It is dark.' })
    run.warn({ code: 'picture_notice', message: 'It is dark.' })
    const { body } = await run.answer({ step: 'generating', name: 'picture' }, [writer], said('light'))
    const kept = await run.keep({ step: 'generating', name: 'frame' }, async () => ['00', 'ff'])
    return { url: `https://x.test/${body}-${kept.join('')}` }
  })
  const id = await stage.create('image', image('a lighthouse', { webhook_url: 'https://hook.test/' }))
  const job = await stage.ended(id)
  expect(job).toMatchObject({
    status: 'completed',
    result: { url: 'https://x.test/light-00ff' },
    progress: { generating: 2 },
    warnings: [{ code: 'picture_notice', message: 'It is dark.', severity: 'note' }],
    due_at: null,
    leased_by: null,
  })
  expect(await stage.calls(id)).toEqual([
    { part: 'picture', provider: 'writer', outcome: 'answered', twice: false, same: true },
  ])
  expect(await stage.events(id)).toEqual([
    {
      event: 'image.completed',
      body: { event: 'image.completed', id, status: 'completed', data: job.result },
    },
  ])
})

test('a job that found no room in the memory waits for it, and loses no attempt', async () => {
  const { files } = createByteBudget(64, { waitMs: 10 })
  const held = await files.take(files.size)
  let tries = 0
  ways.set('a crowd', async () => {
    tries += 1
    if (tries === 2) held.release()
    const share = await files.take(1)
    share.release()
    return { url: 'https://x.test/crowd' }
  })
  const id = await stage.create('image', image('a crowd'))
  expect(await stage.ended(id)).toMatchObject({ status: 'completed', attempts: 0 })
  expect(tries).toBe(2)
})

test('a job that fails says at which step and why, and gives its credits back whole', async () => {
  ways.set('a crime', async () => {
    throw new GenerationError({ reason: 'CONTENT_MODERATION', of: 'job', message: 'It was declined.' })
  })
  const before = await stage.credits()
  const id = await stage.create('image', image('a crime', { webhook_url: 'https://hook.test/' }))
  const error = { step: 'generating', code: 'CONTENT_MODERATION', message: 'It was declined.' }
  expect(await stage.ended(id)).toMatchObject({ status: 'failed', error, result: null })
  expect(await stage.credits()).toEqual(before)
  expect(before.balance).toBe(before.sum)
  expect((await stage.events(id)).map(({ body }) => body)).toEqual([
    { event: 'image.failed', id, status: 'failed', error },
  ])
  const { rows } = await stage.pool.query('SELECT kind FROM credit_entry WHERE job_id = $1 ORDER BY id', [id])
  expect(rows.map(({ kind }) => kind)).toEqual(['charge', 'refund'])
})

test('the steps of a document are told where the account asks for them', async () => {
  await stage.pool.query('UPDATE account SET notify_steps = true')
  makeDocument = async (run) => {
    await run.enter('researching')
    await run.expect('researching', 3)
    await run.enter('generating')
    await run.enter('researching')
    return finished
  }
  const id = await stage.create('document', documentRequest({ webhook_url: 'https://hook.test/' }))
  await stage.ended(id)
  await stage.pool.query('UPDATE account SET notify_steps = false')
  expect((await stage.events(id)).map(({ body }) => body)).toEqual([
    { event: 'research.completed', id, status: 'completed', data: { step: 'researching', parts: 3 } },
    { event: 'text.completed', id, status: 'completed', data: { step: 'generating' } },
    { event: 'document.completed', id, status: 'completed', data: finished },
  ])
})

test('a step whose end was stored, though nobody heard of it, is told once', async () => {
  await stage.pool.query('UPDATE account SET notify_steps = true')
  const impatient = new Pool({ ...stage.pool.options, query_timeout: 300 })
  let claims = 0
  makeDocument = async (run) => {
    claims += 1
    if (claims === 1) await enterUnheard(run)
    await run.enter('generating')
    return finished
  }
  const enterUnheard = async (run: JobRun<'document'>) => {
    const [row] = (
      await stage.pool.query(
        `SELECT *, true AS fresh, '[]'::json AS parts FROM generation_job WHERE id = $1`,
        [run.id],
      )
    ).rows
    const ledger = new JobLedger(impatient, row, 60)
    const url = 'https://hook.test/'
    const client = await stage.pool.connect()
    await client.query('BEGIN')
    await client.query('SELECT FROM generation_job WHERE id = $1 FOR UPDATE', [run.id])
    const entered = ledger.enterStep('generating', { event: 'research.completed', url, body: '{}' })
    await expect(entered).rejects.toThrow('Query read timeout')
    await client.query('COMMIT')
    client.release()
    await expect.poll(async () => (await stage.job(run.id)).status).toBe('generating')
    await ledger.release({ waitsFor: '' })
  }
  const id = await stage.create('document', documentRequest({ webhook_url: 'https://hook.test/' }))
  await stage.ended(id)
  await impatient.end()
  await stage.pool.query('UPDATE account SET notify_steps = false')
  expect((await stage.events(id)).map(({ event }) => event)).toEqual([
    'research.completed',
    'text.completed',
    'document.completed',
  ])
})

test('a finished document with a site is an event of the built-in source, and a delivery', async () => {
  makeDocument = async () => finished
  const siteId = '0f0e0d0c-0b0a-4090-8070-605040302010'
  const delivery = { id: siteId, post_status: 'draft' as const, metadata: { categories: ['Sea'], tags: [] } }
  const ids = [0, 1].map(() => stage.create('document', documentRequest({ delivery })))
  const [first = '', second = ''] = await Promise.all(ids)
  for (const id of [first, second]) expect(await stage.ended(id)).toMatchObject({ status: 'completed' })
  const { rows } = await stage.pool.query(
    `SELECT event.status, event.document_id, delivery.site_id, source.built_in, convert_from(event.body, 'UTF8')::json AS body
     FROM event JOIN source ON source.id = event.source_id JOIN delivery ON delivery.wanted_event_id = event.id
     WHERE event.document_id = $1`,
    [first],
  )
  expect(rows).toEqual([
    {
      status: 'planned',
      document_id: first,
      site_id: siteId,
      built_in: true,
      body: { event: 'document.completed', id: first, status: 'completed', data: finished, delivery },
    },
  ])
  const { rowCount } = await stage.pool.query('SELECT FROM source WHERE built_in')
  expect(rowCount).toBe(1)
})

test('a fault of Galley is tried again from what is stored, and then said in a sentence', async () => {
  let tries = 0
  let asked = 0
  ways.set('a bug', async (run) => {
    await run.answer({ step: 'generating', name: 'picture' }, [writer], async () => {
      asked += 1
      return said('x')()
    })
    tries += 1
    throw new TypeError('undefined is not a picture')
  })
  const id = await stage.create('image', image('a bug'))
  const { error } = await stage.ended(id)
  expect(error).toMatchObject({ step: 'generating', code: 'INVALID_OUTPUT' })
  expect(error.message).toContain('Galley itself failed over this job, 4 times')
  expect([tries, asked]).toEqual([4, 1])
})

test('a job whose provider the settings no longer name says so', async () => {
  ways.set('nobody left', async (run) => {
    await run.answer({ step: 'generating', name: 'picture' }, [], said('x'))
    return { url: 'https://galley.test/x.png' }
  })
  const { error } = await stage.ended(await stage.create('image', image('nobody left')))
  expect(error.message).toMatch(/^The settings no longer name a provider for this\./)
})

test('a large answer is kept as a file that nobody is served, and comes back as it was', async () => {
  const large = 'ä'.repeat(600_000)
  ways.set('a mural', async (run) => {
    const part = { step: 'generating', name: 'picture' } as const
    await run.answer(part, [writer], said(large))
    const { body } = await run.answer(part, [writer], said('another'))
    return { url: body === large ? 'same' : 'other' }
  })
  const id = await stage.create('image', image('a mural'))
  expect(await stage.ended(id)).toMatchObject({ result: { url: 'same' } })
  const { rows } = await stage.pool.query(
    `SELECT served FROM stored_file JOIN generation_part p ON p.answer ->> 'file' = token WHERE p.job_id = $1`,
    [id],
  )
  expect(rows).toEqual([{ served: false }])
})

test('jobs go with what was kept for them when they are old, and what they cost stays in the ledger', async () => {
  ways.set('an old mural', async (run) => {
    await run.answer({ step: 'generating', name: 'picture' }, [writer], said('ö'.repeat(600_000)))
    return { url: 'https://x.test/old.png' }
  })
  const [old, young] = [
    await stage.create('image', image('an old mural')),
    await stage.create('image', image('an old mural')),
  ]
  for (const id of [old, young]) await stage.ended(id)
  const filesOf = async (id: string) => {
    const { rows } = await stage.pool.query(
      `SELECT answer ->> 'file' AS file FROM generation_part WHERE job_id = $1`,
      [id],
    )
    return rows.map(({ file }) => file)
  }
  const kept = await filesOf(old)
  await stage.pool.query(`UPDATE generation_job SET ended_at = now() - interval '91 days' WHERE id = $1`, [
    old,
  ])
  expect(await purgeJobs(stage.pool, 90)).toBe(1)
  expect([await stage.job(old), await filesOf(old), await stage.calls(old)]).toEqual([undefined, [], []])
  expect(await stage.job(young)).toMatchObject({ status: 'completed' })
  expect(await removeExpired(stage.storage)).toEqual({ removed: 1, left: 0 })
  await expect(stage.storage.read(kept[0])).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
  const { rows } = await stage.pool.query('SELECT kind FROM credit_entry WHERE job_id = $1', [old])
  expect(rows).toEqual([{ kind: 'charge' }])
})

test('a job that is resumed while old ones are removed stays, with what was kept for it', async () => {
  ways.set('a wanted mural', async (run) => {
    await run.answer({ step: 'generating', name: 'picture' }, [writer], said('ö'.repeat(600_000)))
    return { url: 'https://x.test/wanted.png' }
  })
  const id = await stage.create('image', image('a wanted mural'))
  await stage.ended(id)
  await stage.pool.query(`UPDATE generation_job SET ended_at = now() - interval '91 days' WHERE id = $1`, [
    id,
  ])
  const client = await stage.pool.connect()
  await client.query('BEGIN')
  await client.query('UPDATE generation_job SET ended_at = NULL WHERE id = $1', [id])
  const purged = purgeJobs(stage.pool, 90)
  await expect
    .poll(async () => {
      const { rows } = await stage.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      return rows.length
    })
    .toBe(1)
  await client.query('COMMIT')
  client.release()
  expect(await purged).toBe(0)
  const { rows } = await stage.pool.query(
    `SELECT expires_at > now() AS stays FROM generation_part JOIN stored_file ON token = answer ->> 'file' WHERE job_id = $1`,
    [id],
  )
  expect(rows).toEqual([{ stays: true }])
})

test('of jobs that end in the same moment each stands for itself: one that was taken away changes nothing', async () => {
  const prompts = ['one', 'two', 'taken']
  let there = 0
  let go = () => {}
  const all = new Promise<void>((resolve) => {
    go = resolve
  })
  let taken = false
  for (const prompt of prompts)
    ways.set(prompt, async (run) => {
      if (prompt === 'taken' && !taken) {
        taken = true
        await stage.pool.query('UPDATE generation_job SET fence = fence + 1 WHERE id = $1', [run.id])
      }
      there += 1
      if (there === prompts.length) go()
      await all
      return { url: `https://x.test/${prompt}` }
    })
  const ids = await Promise.all(
    prompts.map((prompt) => stage.create('image', image(prompt, { webhook_url: 'https://hook.test/' }))),
  )
  const [one, two, last] = await Promise.all(ids.map((id) => stage.ended(id)))
  expect([one, two, last].map(({ result }) => result.url)).toEqual(
    prompts.map((prompt) => `https://x.test/${prompt}`),
  )
  // Claimed, taken away, and claimed again.
  expect([one, two, last].map(({ fence }) => fence)).toEqual([1, 1, 3])
  expect((await Promise.all(ids.map((id) => stage.events(id)))).map(({ length }) => length)).toEqual([
    1, 1, 1,
  ])
})
