import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createByteBudget } from '../../src/bytes/index.ts'
import type { DocumentRequest } from '../../src/contract/generation/requests.ts'
import { makeDocument } from '../../src/generation/pipeline/document.ts'
import type { StepNeeds } from '../../src/generation/pipeline/types.ts'
import type { PictureProvider, TextProvider } from '../../src/generation/providers/types.ts'
import { createOutbound } from '../../src/outbound/index.ts'
import { png } from '../support/files.ts'
import { documentRequest, memoryRun, onlyWriter, renderPost } from '../support/generation/documents.ts'
import { simulatedWriter } from '../support/generation/writer.ts'
import { away, type Stage, startStage } from './jobs/stage.ts'
import { memoryStorage, toneProvider } from './speech/rehearsal.ts'

const outbound = createOutbound({ allowPrivate: [], userAgent: 'Galley/0.0.0' })
let stage: Stage
let writer: TextProvider

const painter: PictureProvider = {
  name: 'painter',
  model: 'paint-1',
  notice: null,
  cannot: () => undefined,
  draw: async () => ({ provider: 'painter', model: 'paint-1', body: png(96, 64, [40, 80, 120]) }),
  read: async ({ body }) => ({ bytes: Buffer.from(body) }),
}

const needs = (): StepNeeds => ({
  providers: {
    ...onlyWriter({ text: writer }),
    pictures: () => [painter],
    speech: () => [toneProvider({ longestText: 2_000 })],
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
    const speaker = toneProvider({ longestText: 100 })
    const providers = { ...needs().providers, speech: () => [speaker] }
    await expect(makeDocument(run, { ...needs(), providers })).rejects.toMatchObject({
      of: 'job',
      message: expect.stringMatching(
        /at least [5-9]\d calls to providers, and a job may have 50 \(GALLEY_JOB_CALLS\)/,
      ),
    })
    expect(run.asked).toEqual([])
  },
)

test('without pictures and narration it never is at those steps', async () => {
  const run = memoryRun({
    ...everything,
    image: { ...everything.image, enabled: false },
    audio: { ...everything.audio, enabled: false },
  })
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
  const id = await stage.create('document', everything)
  const job = await stage.ended(id)
  expect(job).toMatchObject({ status: 'completed', error: null })
  expect(renderPost(job.result).problems).toEqual([])
  expect(Math.abs(job.result.word_count - 1_000)).toBeLessThanOrEqual(100)
  const answered = (await stage.calls(id)).filter(({ outcome }) => outcome === 'answered')
  const parts = answered.map(({ part }) => part)
  expect(parts).toEqual(expect.arrayContaining(['outline', 'section-1', 'picture-featured']))
  expect(new Set(parts).size).toBe(parts.length)
})

test('a job whose model never gives an outline fails at that step, and says so', async () => {
  writer = simulatedWriter({ seed: 1, instead: () => 'I would rather talk about the sea.' })
  const id = await stage.create('document', everything)
  const job = await stage.ended(id)
  expect(job.error).toMatchObject({ step: 'generating', code: 'INVALID_OUTPUT' })
  expect(job.error.message).toContain('I would rather talk about the sea.')
})
