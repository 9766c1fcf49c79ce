import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { startTestGalley } from '../../support/galley.ts'

interface Status {
  status: string
  data?: { url: string }
  warnings?: { code: string }[]
}

test('without any service, an image job becomes a card that is served, and says what it is', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'galley-drawn-'))
  const galley = await startTestGalley({ dataDir })
  try {
    const asked = { prompt: 'Trees in a street', size: 'portrait', format: 'jpeg' }
    const created = await galley.call<{ id: string }>('POST', '/v1/image/create', asked)
    expect(created.status).toBe(202)
    const ask = async () => (await galley.call<Status>('GET', `/v1/image/status/${created.body.id}`)).body
    let job = await ask()
    for (; !/completed|failed/.test(job.status); job = await ask()) await wait(200)
    expect(job).toMatchObject({ status: 'completed', warnings: [{ code: 'picture_notice' }] })
    const { pathname } = new URL(job.data?.url ?? '')
    const file = await fetch(galley.url + pathname)
    expect(file.headers.get('content-type')).toBe('image/jpeg')
    const { width, height, format } = await sharp(Buffer.from(await file.arrayBuffer())).metadata()
    expect([width, height, format]).toEqual([1024, 1536, 'jpeg'])
  } finally {
    await galley.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('an image that no provider can make is refused before anything is charged', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'galley-drawn-'))
  const galley = await startTestGalley({ dataDir })
  try {
    const asked = { prompt: 'Trees in a street', background: 'transparent' }
    const refused = await galley.call<{ error?: unknown }>('POST', '/v1/image/create', asked)
    expect(refused.status).toBe(503)
    expect(JSON.stringify(refused.body)).toContain('cannot be transparent')
  } finally {
    await galley.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
})
