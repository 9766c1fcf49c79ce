import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleFiles } from '../../src/wordpress/doctor/probes/temporary-file.ts'
import { published } from '../contract/published.ts'
import { type FileServer, png, serveFiles } from '../support/files.ts'
import { startTestGalley, type TestGalley, webhookPath } from '../support/galley.ts'
import { wordpress } from '../support/wordpress/index.ts'

const siteId = randomUUID()
let galley: TestGalley
let files: FileServer
let webhook: string

const sound = { type: 'audio/mpeg', bytes: Buffer.from(sampleFiles.mp3.bytes) }
/** The head of a film, by which it is known. */
const film = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypisom\0\0\x02\0isomiso2mp41')])
const picture = { type: 'image/png', bytes: png(640, 480, [20, 90, 160]) }

beforeAll(async () => {
  galley = await startTestGalley()
  webhook = await webhookPath(galley)
  files = await serveFiles({
    '/moon.jpg': picture,
    '/tide-curve.png': picture,
    '/buoy.png': picture,
    '/ebb.jpg': picture,
    '/flood.jpg': picture,
    '/bore.jpg': picture,
    '/bore.mp4': { type: 'video/mp4', bytes: film },
    '/tide-table.pdf': { type: 'application/pdf', bytes: Buffer.from('%PDF-1.4\n%%EOF\n') },
    '/surf.mp3': sound,
    '/narration.mp3': sound,
  })
  const { url, users } = wordpress()
  const { login: username, applicationPassword: application_password } = users.editor
  const site = { id: siteId, url, username, application_password }
  expect(await galley.call('POST', '/v1/sites?check=false', site)).toMatchObject({ status: 201 })
})

afterAll(async () => {
  await galley.stop()
  await files.close()
})

const examples = published.flatMap(({ kind, examples }) => examples.map(({ data }) => [kind, data] as const))

test.each(examples)(
  'the published example of %s is taken as a webhook, and a preview renders it',
  async (_kind, data) => {
    // The files of the examples, where they can be fetched.
    const here = JSON.parse(
      JSON.stringify(data).replaceAll(/https:\/\/example\.com(?=\/[\w-]+\.)/g, files.url),
    )
    const { status, body } = await galley.call<{
      data: { outcome: string; warnings: []; post: { content: string } }
    }>('POST', `/v1/sites/${siteId}/preview`, { data: here })
    expect({ status, ...body }).toMatchObject({ status: 200, data: { outcome: 'delivered', warnings: [] } })
    expect(body.data.post.content).toMatch(/^<!-- wp:/)
    // To nobody's site: it is taken in and goes nowhere.
    const event = {
      event: 'document.completed',
      id: randomUUID(),
      data: here,
      delivery: { id: randomUUID() },
    }
    const answer = await galley.call('POST', webhook, event)
    expect(answer).toMatchObject({ status: 202, body: { delivery: true } })
    expect(answer.body).not.toHaveProperty('warnings')
  },
)
