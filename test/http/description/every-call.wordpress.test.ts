import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operationsOf } from '../../../scripts/openapi/compare.ts'
import { isSchema } from '../../../scripts/openapi/compare-schemas.ts'
import { someProviders } from '../../generation/providers.ts'
import { type Answered, startApp, type TestApp } from '../app.ts'
import { calls } from './calls.ts'

// Every operation that is described is called on a real service with a real WordPress, and succeeds as described.

let app: TestApp
let operations: ReturnType<typeof operationsOf>
beforeAll(async () => {
  app = await startApp({}, undefined, undefined, someProviders)
  await app.database.prisma.apiKey.updateMany({
    where: { accountId: app.owner.id },
    data: { role: 'operator' },
  })
  operations = operationsOf((await app.ask('GET', '/openapi.json')).body)
})
afterAll(() => app.stop())

test('there is a call for every operation', () => {
  expect(Object.keys(calls).sort()).toEqual(operations.map(({ operation }) => operation.operationId).sort())
})

const head = `// What each call was asked and answered in a test, by GALLEY_TEST_EXAMPLES=1 (every-call.wordpress.test.ts). Not to be edited.

/** An example of each call, by its operation. */
export const examples: Readonly<Record<string, { request?: unknown; answer?: unknown }>> = `

/** As the document names what answered: `200`, `4XX`. */
const described = (responses: Record<string, unknown>, status: number): unknown =>
  responses[status] ?? responses[`${String(status)[0]}XX`]

test('every operation answers as described', async () => {
  const made = new Map<string, Answered['body']>()
  const examples: Record<string, { request?: unknown; answer?: unknown }> = {}
  for (const [operationId, call] of Object.entries(calls)) {
    const found = operations.find(({ operation }) => operation.operationId === operationId)
    if (found === undefined) throw new Error(`${operationId} is not described`)
    const { path: values = {}, query = '', ...asked } = await call(made, app)
    const path = found.path.replace(/\{(\w+)\}/g, (_match, name: string) => values[name] as string)
    const answer = await ask(found.method.toUpperCase(), `${path}${query}`, asked)
    const said = `${operationId}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 400)}`
    // The form of a link with nothing in it: a page says so.
    expect(answer.status, said).toBeLessThan(operationId === 'answerConnectLink' ? 500 : 400)
    const response = described(found.operation.responses as Record<string, unknown>, answer.status)
    expect(isSchema(response), said).toBe(true)
    const { content } = response as { content?: object }
    const type = answer.headers.get('content-type')?.replace(/;.*/, '')
    if (content !== undefined && !('*/*' in content)) expect(Object.keys(content), said).toContain(type)
    made.set(operationId, answer.body)
    examples[operationId] = {
      ...(isSchema(asked.body) && { request: asked.body }),
      ...(type === 'application/json' && operationId !== 'readDescription' && { answer: answer.body }),
    }
  }
  // GALLEY_TEST_EXAMPLES=1 keeps what was seen as the examples of the description.
  if (process.env.GALLEY_TEST_EXAMPLES)
    writeFileSync(
      'src/http/description/examples.ts',
      `${head}${neutral(JSON.stringify(few(examples), null, 2))}\n`,
    )
})

/** A browser's page may lead elsewhere, and is not followed; a stream has no end. */
async function ask(method: string, path: string, asked: Parameters<TestApp['ask']>[2]): Promise<Answered> {
  if (path === '/v1/stream') return beginningOf(path)
  if (!path.startsWith('/connect/')) return app.ask(method, path, asked)
  const { body, headers = {} } = asked ?? {}
  const init = {
    method,
    headers,
    redirect: 'manual' as const,
    ...(body !== undefined && { body: String(body) }),
  }
  const response = await fetch(`${app.url}${path}`, init)
  return { status: response.status, headers: response.headers, body: await response.text() }
}

async function beginningOf(path: string): Promise<Answered> {
  const stop = new AbortController()
  const response = await fetch(`${app.url}${path}`, {
    headers: { authorization: `Bearer ${app.owner.key}` },
    signal: stop.signal,
  })
  const { status, headers } = response
  stop.abort()
  return { status, headers, body: '' }
}

/** Two of a list say as much as all. */
const few = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.slice(0, 2).map(few)
    : isSchema(value)
      ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, few(member)]))
      : value

/** Without secrets, and without what is this machine's. */
const neutral = (text: string): string =>
  text
    .replace(/gly_sk_[0-9a-f]{48}/g, `gly_sk_${'0123456789abcdef'.repeat(3)}`)
    .replace(/whsec_[\w+/=]+/g, 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=')
    .replace(/(webhooks|connect)\/[\w-]{20,}/g, `$1/${'0123456789abcdef'.repeat(3)}`)
    .replace(/"application_password": "[^"]*"/g, '"application_password": "abcd efgh ijkl mnop qrst uvwx"')
    .replace(/http:\/\/(127\.0\.0\.1|localhost)(:\d+)?/g, 'https://example.com')
    .replace(/(127\.0\.0\.1|localhost)(:\d+)?/g, 'example.com')
