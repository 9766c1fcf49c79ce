import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createByteBudget } from '../../src/bytes/budget.ts'
import type { DocumentRequest } from '../../src/contract/generation/requests.ts'
import { cancelJob, resumeJob } from '../../src/generation/api/actions.ts'
import { getDetailedJob } from '../../src/generation/api/jobs.ts'
import { defaultPrices } from '../../src/generation/api/prices.ts'
import { GenerationError } from '../../src/generation/failure.ts'
import { makeDocument } from '../../src/generation/pipeline/document.ts'
import type { StepNeeds } from '../../src/generation/pipeline/types.ts'
import { pageList } from '../../src/generation/providers/search.ts'
import type {
  PictureProvider,
  PictureRequest,
  SearchProvider,
  SpeechProvider,
  TextProvider,
} from '../../src/generation/providers/types.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { png } from '../support/files.ts'
import { documentRequest, memoryRun, onlyWriter, renderPost } from '../support/generation/documents.ts'
import { simulatedWriter } from '../support/generation/writer.ts'
import { away, type Stage, startStage } from './jobs/stage.ts'
import { memoryStorage, toneProvider } from './speech/rehearsal.ts'

const outbound = createOutbound({ allowPrivate: [], userAgent: 'Galley/0.0.0' })
let stage: Stage
let writer: TextProvider
let speaker: SpeechProvider
let engines: SearchProvider[]
let draw: (request: PictureRequest) => Buffer

const refused = (reason: 'CONTENT_MODERATION' | 'INVALID_OUTPUT', message: string) =>
  new GenerationError({ reason, of: 'job', message })

const painter: PictureProvider = {
  name: 'painter',
  model: 'paint-1',
  notice: null,
  cannot: () => undefined,
  draw: async (request) => ({ provider: 'painter', model: 'paint-1', body: draw(request) }),
  read: async ({ body }) => {
    if (String(body) === 'gone') throw away({ made: true })
    return Buffer.from(body)
  },
}

const listed = { name: 'list', model: '', concurrency: undefined }

const needs = (): StepNeeds => ({
  providers: {
    ...onlyWriter({ text: writer }),
    pictures: () => [painter],
    speech: () => [speaker],
    search: () => engines,
  },
  // Only `keep` is asked for here.
  storage: memoryStorage() as unknown as StepNeeds['storage'],
  outbound,
  budget: createByteBudget(),
  log: pino({ level: 'silent' }),
})

beforeAll(async () => {
  stage = await startStage({ document: (run) => makeDocument(run, needs()) })
})
beforeEach(() => {
  writer = simulatedWriter({ seed: 4 })
  speaker = toneProvider({ longestText: 2_000 })
  engines = []
  draw = () => png(96, 64, [40, 80, 120])
})
afterAll(async () => {
  await stage.stop()
  await outbound.close()
})

const everything: DocumentRequest = documentRequest({
  text: { length: 1_000 },
  keywords: ['neap tide'],
  image: { enabled: true },
  audio: { enabled: true, format: 'wav' },
})

/** Without pictures, which take longer to make than all else. */
const narrated: DocumentRequest = { ...everything, image: { ...everything.image, enabled: false } }
const painted: DocumentRequest = { ...everything, audio: { ...everything.audio, enabled: false } }

test('a document goes through its steps in order, and has all that was asked for', async () => {
  const run = memoryRun(everything)
  const document = await makeDocument(run, needs())
  expect(run.steps).toEqual(['researching', 'generating', 'images', 'audio'])
  expect(document.featured_image).toMatch(/^https:\/\/galley\.example\/files\/.*\.jpg$/)
  expect(document.content.featured_image).toMatchObject({ url: document.featured_image, width: 1536 })
  expect(document.content.content.filter(({ type }) => type === 'image')).toHaveLength(1)
  expect(document.audio).toMatchObject({ format: 'wav' })
  expect(renderPost(document).problems).toEqual([])
  expect(run.warnings.map(({ code }) => code)).toEqual(['no_search_provider'])
})

test.each([
  ['words', 'How tides come about', 1_100],
  ['characters', '潮の満ち引きはどのようにして起こるのか', 5_000],
])(
  'a narration that its job surely cannot pay for fails it before the text is paid for: %s',
  async (_, prompt, length) => {
    const run = {
      ...memoryRun({ ...everything, prompt, text: { ...everything.text, length } }),
      mostCalls: 50,
    }
    speaker = toneProvider({ longestText: 100 })
    await expect(makeDocument(run, needs())).rejects.toMatchObject({
      of: 'job',
      reason: 'BUDGET_EXCEEDED',
      message: expect.stringMatching(
        /at least [5-9]\d calls to providers, and the job may have 50 \(GALLEY_JOB_CALLS\)/,
      ),
    })
    expect(run.asked).toEqual([])
  },
)

test('without pictures and narration it never is at those steps', async () => {
  const run = memoryRun({ ...narrated, audio: painted.audio })
  const document = await makeDocument(run, needs())
  expect(run.steps).toEqual(['researching', 'generating'])
  expect(Object.keys(document)).toEqual(['title', 'description', 'content', 'word_count', 'reading_time'])
  expect(document.content).not.toHaveProperty('featured_image')
})

test('a job of the ledger makes the document, through a provider that goes away, and asks nothing twice', async () => {
  const { write } = writer
  let calls = 0
  writer.write = async (...asked) => {
    calls += 1
    if (calls === 3 || calls === 6) throw away()
    return write(...asked)
  }
  const id = await stage.create('document', painted)
  const job = await stage.ended(id)
  expect(job).toMatchObject({ status: 'completed', error: null })
  expect(renderPost(job.result).problems).toEqual([])
  expect(Math.abs(job.result.word_count - 1_000)).toBeLessThanOrEqual(100)
  const answered = (await stage.calls(id)).filter(({ outcome }) => outcome === 'answered')
  const parts = answered.map(({ part }) => part)
  expect(parts).toEqual(expect.arrayContaining(['outline', 'section-1', 'picture-featured']))
  expect(new Set(parts).size).toBe(parts.length)
})

test.each([
  // Research 4, and of the text, 4, one of seven parts. The narration was 12.
  ['outline is written gets back the rest of its text', [], 15],
  ['research is planned gets back the rest of that', [pageList({ ...listed, pages: [] })], 19],
])('a document that is cancelled while its %s', async (_, search, refunded) => {
  engines = search
  const before = await stage.credits()
  const id = await new Promise<string>((resolve) => {
    writer.write = async (_request, { signal }) => {
      resolve(created)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const created = stage.create('document', narrated)
  })
  await cancelJob(stage.pool, defaultPrices, { accountId: stage.accountId, id })
  expect((await stage.credits()).balance).toBe(before.balance - 20 + refunded)
})

test('where one of a tier gives what cannot be used, the next one writes and draws', async () => {
  const mute = simulatedWriter({ seed: 1, instead: () => 'I would rather not.' })
  const useless: TextProvider = {
    ...mute,
    name: 'useless',
    write: async (...asked) => ({ ...(await mute.write(...asked)), provider: 'useless' }),
  }
  const smearer: PictureProvider = {
    ...painter,
    name: 'smearer',
    draw: async () => ({ provider: 'smearer', model: 'paint-1', body: Buffer.from('no picture') }),
  }
  const run = memoryRun(painted)
  const providers = {
    ...needs().providers,
    text: () => [useless, writer],
    pictures: () => [smearer, painter],
  }
  const document = await makeDocument(run, { ...needs(), providers })
  expect(document.featured_image).toMatch(/\.jpg$/)
  expect(run.asked).toEqual(
    expect.arrayContaining(['outline', 'outline-again', 'outline-by-2', 'picture-featured-by-2']),
  )
})

test('a job whose model never gives an outline fails at that step, and says so', async () => {
  writer = simulatedWriter({ seed: 1, instead: () => 'I would rather talk about the sea.' })
  const id = await stage.create('document', everything)
  const job = await stage.ended(id)
  expect(job.error).toMatchObject({ step: 'generating', code: 'INVALID_OUTPUT' })
  expect(job.error.message).toContain('I would rather talk about the sea.')
})

const read = (id: string) => getDetailedJob(stage.pool, { accountId: stage.accountId, id }, true)
const resume = (id: string) => resumeJob(stage.pool, { accountId: stage.accountId, id })
const mute = () =>
  toneProvider({
    longestText: 2_000,
    before: () => {
      throw refused('INVALID_OUTPUT', 'The voice is gone.')
    },
  })
const nothingMissing = { code: 'NOTHING_MISSING', httpStatus: 409 }
const loss = (code: string, message: unknown) => ({ code, message, severity: 'loss' })

const codes = ({ result }: { result: { warnings?: { code: string }[] } }) =>
  (result.warnings ?? []).map(({ code }) => code)

/** What was handed over for delivery, the first at first. */
const handedOver = async (id: string) => {
  const { rows } = await stage.pool.query(
    `SELECT body, event.seq = wanted_seq AS newest FROM event
     JOIN delivery USING (document_id) WHERE document_id = $1 ORDER BY event.seq`,
    [id],
  )
  return rows.map(({ body, newest }) => ({ data: JSON.parse(body).data, newest }))
}

test('a document completes without the pictures and the narration that fail, names them, and makes them when resumed once', async () => {
  draw = ({ quality }) => {
    if (quality === 'high') return Buffer.from('no picture')
    throw refused('CONTENT_MODERATION', 'It will not be drawn.')
  }
  speaker = mute()
  const before = await stage.credits()
  const id = await stage.create('document', {
    ...everything,
    webhook_url: 'https://hook.test/',
    delivery: {
      id: crypto.randomUUID(),
      post_status: 'draft',
      metadata: { categories: [], tags: [] },
    },
  })
  const job = await stage.ended(id)
  expect(job).toMatchObject({ status: 'completed', error: null })
  expect(job.result).not.toHaveProperty('featured_image')
  expect(job.result).not.toHaveProperty('audio')
  expect(renderPost(job.result).problems).toEqual([])
  expect(job.result.warnings).toEqual(
    expect.arrayContaining([
      loss('picture_left_out', expect.stringMatching(/^Its featured image was .* it is of no/)),
      loss('picture_left_out', 'A picture was left out. It will not be drawn.'),
      loss('narration_left_out', expect.stringContaining('The voice is gone.')),
    ]),
  )
  const [told] = await stage.events(id)
  expect(told).toMatchObject({
    event: 'document.completed',
    body: { data: { warnings: job.result.warnings } },
  })
  expect((await read(id)).missing).toEqual(['images', 'audio'])
  const { balance } = await stage.credits()
  expect(balance).toBe(before.balance - job.price)

  draw = () => png(96, 64, [40, 80, 120])
  speaker = toneProvider({ longestText: 2_000 })
  const callsBefore = (await stage.calls(id)).length
  await stage.pool.query(
    `INSERT INTO generation_call (id, key, job_id, step, part, provider, model, outcome, error)
     SELECT uuidv7(), uuidv7(), $1, 'audio', 'chunk-1', 'tones', 'tone-1', 'lost', '{"code": "PROVIDER_UNAVAILABLE"}'
     FROM generate_series(1, 3)`,
    [id],
  )
  await Promise.all([resume(id), resume(id)])
  await expect(cancelJob(stage.pool, defaultPrices, { accountId: stage.accountId, id })).rejects.toThrow(
    /completed before|has ended/,
  )
  const whole = await stage.ended(id)
  expect(whole).toMatchObject({ status: 'completed', error: null })
  expect(whole.result).toMatchObject({
    title: job.result.title,
    word_count: job.result.word_count,
    featured_image: expect.stringMatching(/\.jpg$/),
    audio: { format: 'wav' },
  })
  expect(codes(whole)).toEqual(['no_search_provider'])
  expect((await read(id)).missing).toEqual([])
  const parts = (await stage.calls(id)).slice(callsBefore).map(({ part }) => part)
  expect(parts.filter((part) => !/^picture-|^chunk-/.test(part))).toEqual([])
  expect(await handedOver(id)).toEqual([
    { data: job.result, newest: false },
    { data: whole.result, newest: true },
  ])
  expect((await stage.events(id)).map(({ event }) => event)).toEqual([
    'document.completed',
    'document.completed',
  ])
  expect((await stage.credits()).balance).toBe(balance)
  await expect(resume(id)).rejects.toMatchObject(nothingMissing)
})

test('a picture that cannot be fetched is left out alone', async () => {
  draw = ({ quality }) => (quality === 'high' ? Buffer.from('gone') : png(96, 64, [40, 80, 120]))
  const text = { ...painted.text, length: 2_000 }
  const id = await stage.create('document', { ...painted, text, keywords: [] })
  const { status, result } = await stage.ended(id)
  expect([status, codes({ result })]).toEqual(['completed', ['no_search_provider', 'picture_left_out']])
  const pictures = (result.content.content as { type: string }[]).filter(({ type }) => type === 'image')
  expect(pictures).toHaveLength(2)
})

test('a document that is resumed in vain completes as it was before, and can be resumed again', async () => {
  speaker = mute()
  const id = await stage.create('document', narrated)
  const { result } = await stage.ended(id)
  await resume(id)
  expect(await stage.ended(id)).toMatchObject({ status: 'completed', result })
  expect((await read(id)).missing).toEqual(['audio'])
})

test('a narration that is resumed with another provider is spoken by that one alone', async () => {
  let chunks = 0
  speaker = toneProvider({
    longestText: 1_000,
    before: () => {
      chunks += 1
      if (chunks > 1) throw refused('INVALID_OUTPUT', 'The voice is gone.')
    },
  })
  const id = await stage.create('document', narrated)
  await stage.ended(id)
  speaker = toneProvider({ name: 'bells', longestText: 1_000 })
  await resume(id)
  const { result } = await stage.ended(id)
  expect(result.audio).toMatchObject({ format: 'wav' })
  expect(codes({ result })).toEqual(['no_search_provider'])
})

test('a document over whose narration the process died three times completes without it', async () => {
  // At the first text alone: who has lost the job may ask for a second one, when another has gone on with it.
  let isDead = false
  const dieThreeTimes = async () => {
    if (isDead) return
    isDead = true
    await stage.pool.query(
      'UPDATE generation_job SET crashes = 3, fence = fence + 1, leased_by = NULL, due_at = now() WHERE ended_at IS NULL',
    )
  }
  speaker = toneProvider({ longestText: 2_000, before: dieThreeTimes })
  const id = await stage.create('document', narrated)
  const { status, result } = await stage.ended(id)
  expect([status, codes({ result })]).toEqual(['completed', ['no_search_provider', 'narration_left_out']])
  expect(result.warnings[1].message).toContain('process ended three times')

  speaker = toneProvider({ longestText: 2_000 })
  await resume(id)
  expect((await stage.ended(id)).result.audio).toMatchObject({ format: 'wav' })
})

test('a resumed document whose text cannot be read any more stays as it was, and is not refunded', async () => {
  speaker = mute()
  const id = await stage.create('document', narrated)
  const { result } = await stage.ended(id)
  const before = await stage.credits()
  await stage.pool.query(`DELETE FROM generation_part WHERE job_id = $1 AND name = 'outline'`, [id])
  writer = simulatedWriter({ seed: 1, instead: () => 'I would rather not.' })
  await resume(id)
  expect(await stage.ended(id)).toMatchObject({ status: 'completed', result, warnings: result.warnings })
  expect((await read(id)).missing).toEqual(['audio'])
  expect(await stage.credits()).toEqual(before)
})

test('a document that failed is not resumed', async () => {
  writer = simulatedWriter({ seed: 1, instead: () => 'I would rather not.' })
  const failed = await stage.create('document', narrated)
  expect(await stage.ended(failed)).toMatchObject({ status: 'failed' })
  await expect(resume(failed)).rejects.toMatchObject(nothingMissing)
})
