import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ALL_FORMATS, BufferSource, Input } from 'mediabunny'
import { expect, test } from 'vitest'
import { startTestGalley } from '../../support/galley.ts'

interface Status {
  status: string
  data?: { url: string; duration: string; character_count: number; format: string }
  warnings?: { code: string }[]
}

test('without any service, text that is sent becomes a file that is served', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'galley-spoken-'))
  const galley = await startTestGalley({ dataDir })
  try {
    const text = 'Galley turns finished documents into posts. '.repeat(8).trim()
    const created = await galley.call<{ id: string }>('POST', '/v1/audio/create', { text, format: 'opus' })
    expect(created.status).toBe(202)
    const ask = async () => (await galley.call<Status>('GET', `/v1/audio/status/${created.body.id}`)).body
    let job = await ask()
    for (; !/completed|failed/.test(job.status); job = await ask()) await wait(200)
    expect(job).toMatchObject({
      status: 'completed',
      data: {
        duration: expect.stringMatching(/^\d+ min \d+ sec$/),
        character_count: text.length,
        format: 'opus',
      },
    })
    const { pathname } = new URL(job.data?.url ?? '')
    const file = await fetch(galley.url + pathname)
    expect(file.headers.get('content-type')).toBe('audio/ogg')
    const input = new Input({
      formats: ALL_FORMATS,
      source: new BufferSource(await file.arrayBuffer()),
    })
    const [, minutes, seconds] = /^(\d+) min (\d+) sec$/.exec(job.data?.duration ?? '') ?? []
    const length = Number(minutes) * 60 + Number(seconds)
    expect(length).toBeGreaterThan(12)
    expect(Math.abs((await input.computeDuration()) - length)).toBeLessThanOrEqual(0.5)
  } finally {
    await galley.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
})
