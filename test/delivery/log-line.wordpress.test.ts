import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settled, startTestGalley, type TestGalley, webhookPath } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { removePost, wordpress } from '../support/wordpress/index.ts'

const lines: Record<string, unknown>[] = []
const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) })
const siteId = randomUUID()
let galley: TestGalley

beforeAll(async () => {
  galley = await startTestGalley({}, undefined, undefined, log)
  const { url, users } = wordpress()
  const { login: username, applicationPassword } = users.author
  const site = { id: siteId, url, username, application_password: applicationPassword }
  expect(await galley.call('POST', '/v1/sites?check=false', site)).toMatchObject({ status: 201 })
})

afterAll(() => galley.stop())

async function deliver(settings: object, categories: string[]) {
  expect(await galley.call('PATCH', `/v1/sites/${siteId}`, { settings })).toMatchObject({ status: 200 })
  const document = completed({ siteId, categories })
  await galley.call('POST', await webhookPath(galley), document)
  return settled(galley, document.id)
}

/** The line is written once the end is stored. */
const linesOf = (delivery: string) =>
  expect.poll(() => lines.filter((line) => line.msg === 'delivery ended' && line.delivery === delivery))

test('a delivery that ended is one line: its outcome, site, post, attempts and time', async () => {
  const { id, post } = await deliver({}, [])
  await linesOf(id).toMatchObject([
    {
      site: siteId,
      post: post?.id,
      outcome: 'delivered',
      attempts: 1,
      durationMs: expect.any(Number),
      document: expect.any(String),
    },
  ])
  await removePost(post?.id as number)
})

test('one that a person must look at is such a line too', async () => {
  const { id, post } = await deliver({ term_policy: 'reject' }, [`Nowhere ${randomUUID()}`])
  await linesOf(id).toMatchObject([{ site: siteId, outcome: 'held', attempts: 1 }])
  if (post) await removePost(post.id)
})
