import { afterAll, beforeAll, expect, test } from 'vitest'
import { isSchema, operationsOf } from '../../../scripts/openapi/operations.ts'
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

/** As the document names what answered: `200`, `4XX`. */
const described = (responses: Record<string, unknown>, status: number): unknown =>
  responses[status] ?? responses[`${String(status)[0]}XX`]

test('every operation answers as described', async () => {
  const made = new Map<string, Answered['body']>()
  for (const [operationId, call] of Object.entries(calls)) {
    const found = operations.find(({ operation }) => operation.operationId === operationId)
    if (found === undefined) throw new Error(`${operationId} is not described`)
    const { path: values = {}, query = '', ...asked } = await call(made, app)
    const path = found.path.replace(/\{(\w+)\}/g, (_match, name: string) => values[name] as string)
    const answer = await ask(found.method.toUpperCase(), `${path}${query}`, asked)
    const said = `${operationId}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 400)}`
    expect(answer.status, said).toBeLessThan(400)
    const response = described(found.operation.responses as Record<string, unknown>, answer.status)
    expect(isSchema(response), said).toBe(true)
    const { content } = response as { content?: object }
    const type = answer.headers.get('content-type')?.replace(/;.*/, '')
    if (content !== undefined && !('*/*' in content)) expect(Object.keys(content), said).toContain(type)
    made.set(operationId, answer.body)
  }
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
