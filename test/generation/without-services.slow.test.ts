import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ALL_FORMATS, BufferSource, Input } from 'mediabunny'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestGalley, type TestGalley } from '../support/galley.ts'

interface Status {
  status: string
  data: { url: string; duration: string }
}

let dataDir: string
let galley: TestGalley
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'galley-alone-'))
  galley = await startTestGalley({ dataDir })
})
afterAll(async () => {
  await galley.stop()
  await rm(dataDir, { recursive: true })
})

/** What becomes of a job, and the file that it made. */
async function made(kind: 'audio' | 'image', asked: object): Promise<{ job: Status; file: Response }> {
  const created = await galley.call<{ id: string }>('POST', `/v1/${kind}/create`, asked)
  expect(created.status).toBe(202)
  const ask = async () => (await galley.call<Status>('GET', `/v1/${kind}/status/${created.body.id}`)).body
  await expect.poll(async () => (await ask()).status, { interval: 200 }).toMatch(/completed|failed/)
  const job = await ask()
  expect(job.status, JSON.stringify(job)).toBe('completed')
  return { job, file: await fetch(galley.url + new URL(job.data.url).pathname) }
}

test('without any service, text that is sent becomes a file that is served', async () => {
  const text = 'Galley turns finished documents into posts. '.repeat(8).trim()
  const { job, file } = await made('audio', { text, format: 'opus' })
  const duration = expect.stringMatching(/^\d+ min \d+ sec$/)
  const data = { duration, character_count: text.length, format: 'opus' }
  expect(job).toMatchObject({ data })
  expect(job.data.url).toMatch(/\.ogg$/)
  expect(file.headers.get('content-type')).toBe('audio/ogg')
  const source = new BufferSource(await file.arrayBuffer())
  const [, minutes, seconds] = /^(\d+) min (\d+) sec$/.exec(job.data.duration) ?? []
  const length = Number(minutes) * 60 + Number(seconds)
  expect(length).toBeGreaterThan(12)
  const measured = await new Input({ formats: ALL_FORMATS, source }).computeDuration()
  expect(Math.abs(measured - length)).toBeLessThanOrEqual(0.5)
})

test('without any service, an image job becomes a card that is served, and says what it is', async () => {
  const asked = { prompt: 'Trees in a street', size: 'portrait', format: 'jpeg' }
  const { job, file } = await made('image', asked)
  expect(job).toMatchObject({ warnings: [{ code: 'picture_notice' }] })
  expect(file.headers.get('content-type')).toBe('image/jpeg')
  const { width, height, format } = await sharp(Buffer.from(await file.arrayBuffer())).metadata()
  expect([width, height, format]).toEqual([1024, 1536, 'jpeg'])
})

test('an image that no provider can make is refused before anything is charged', async () => {
  const asked = { prompt: 'Trees in a street', background: 'transparent' }
  const refused = await galley.call<{ error?: unknown }>('POST', '/v1/image/create', asked)
  expect(refused.status).toBe(503)
  expect(JSON.stringify(refused.body)).toContain('cannot be transparent')
})
