import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { description, endpoints } from '../../scripts/openapi/routes.ts'
import { allowsSiteScope, hasRight, type Role, roles } from '../../src/accounts/authenticate.ts'
import { createKey } from '../../src/accounts/keys.ts'
import { resourceKind } from '../../src/http/site-access.ts'
import { startApp, type TestApp } from './app.ts'
import { rawSentence } from './raw-sentence.ts'
import { type JsonSchema, wrongBodies } from './wrong-values.ts'

// Every call that is described, asked by every role and with everything wrong. Each answer is held against the
// description too (test/support/galley.ts). Asked rightly they are in description/every-call.wordpress.test.ts.

interface Operation {
  parameters?: { in: string; name: string; schema: JsonSchema }[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
}

const { paths, components } = JSON.parse(JSON.stringify(description)) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, JsonSchema> }
}

const calls = endpoints().map(({ method, path, right }) => ({
  method: method.toUpperCase(),
  path,
  may: roles.filter((role) => hasRight(role, right)),
  limited: allowsSiteScope(right),
  operation: paths[path]?.[method] as Operation,
}))

let app: TestApp
const keys = {} as Record<Role | 'limited', string>
beforeAll(async () => {
  app = await startApp({ requestsPerMinute: 0 })
  const { prisma } = app.database
  for (const role of roles)
    keys[role] = (await createKey(prisma, { accountId: app.owner.id, name: role, role })).key
  const limit = { role: 'manager' as const, labels: ['nowhere'] }
  keys.limited = (await createKey(prisma, { accountId: app.owner.id, name: 'limited', ...limit })).key
})
afterAll(() => app.stop())

const withIds = (path: string, id: string = crypto.randomUUID()) => path.replaceAll(/\{\w+\}/g, id)

/** Asks with a body that nobody can read. What is answered is not waited for to its end: it may have none. */
async function ask(method: string, path: string, key: string) {
  const stop = new AbortController()
  const response = await fetch(app.url + withIds(path), {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(method !== 'GET' && { body: '{"unreadable' }),
    signal: stop.signal,
  })
  const { status } = response
  const code = status < 400 ? '' : ((await response.json()) as { error: { code: string } }).error.code
  stop.abort()
  return { status, code }
}

describe('the right of a call', () => {
  const call = (name: string) => calls.find(({ method, path }) => `${method} ${path}` === name)

  it('is not that everybody may do everything', () => {
    expect(call('POST /v1/accounts')?.may).toEqual(['operator'])
    expect(call('POST /v1/keys')).toMatchObject({ may: ['operator', 'owner'], limited: false })
    expect(call('PATCH /v1/sites/{uuid}')).toMatchObject({
      may: ['operator', 'owner', 'manager'],
      limited: true,
    })
    expect(call('POST /v1/deliveries/{uuid}/retry')?.may).not.toContain('source')
    expect(call('GET /v1/audit')?.may).not.toContain('manager')
  })
})

describe.each(calls)('$method $path', ({ method, path, may, limited, operation }) => {
  it('is there, and 403 exactly where its right says, before the body is read', async () => {
    const refused: string[] = []
    for (const role of roles) {
      const { status, code } = await ask(method, path, keys[role])
      expect(status).not.toBe(401)
      expect(code).not.toMatch(/UNKNOWN_ROUTE|METHOD_NOT_ALLOWED/)
      if (status === 403) refused.push(role)
      expect(status === 403 ? code : 'FORBIDDEN').toBe('FORBIDDEN')
    }
    expect(refused).toEqual(roles.filter((role) => !may.includes(role)))
  })

  it('holds for a key that is limited to sites', async () => {
    const allowed = limited && may.includes('manager')
    const { status } = await ask(method, path, keys.limited)
    expect(status === 403).toBe(!allowed)
    // Of what has an id, it is said what a limited key sees of it; all else it does not see.
    if (allowed && path.includes('{')) {
      expect(resourceKind(path), `add it to src/http/site-access.ts: ${path}`).toBeDefined()
      if (resourceKind(path) !== 'all') expect(status).toBe(404)
    }
  })

  const refused = async (
    address: string,
    asked: { body?: unknown; headers?: Record<string, string> } = {},
  ) => {
    const { status, body } = await app.ask(method, address, { key: keys.operator, ...asked })
    const said = `${address.slice(0, 200)} ${JSON.stringify(asked).slice(0, 200)} ${JSON.stringify(body)}`
    expect(status, said).toBeGreaterThanOrEqual(400)
    expect(status, said).toBeLessThan(500)
    const { message, details } = body.error as { message: string; details?: { message?: string }[] }
    const sentences = [message, ...(Array.isArray(details) ? details : []).map((one) => one.message ?? '')]
    for (const sentence of sentences) expect(sentence, said).not.toMatch(rawSentence)
  }

  if (path.includes('{') && method !== 'GET')
    it('refuses what is no id, and leaves nothing begun', async () => {
      for (const id of ['%00', `${crypto.randomUUID()}%00`, 'x'.repeat(12_000)])
        await refused(withIds(path, id), { body: {} })
      expect((await app.database.pool.query('SELECT * FROM audit_intent')).rows).toEqual([])
    })

  it('answers no wrong query with 500, nor with a sentence of the library', async () => {
    const address = withIds(path)
    await refused(`${address}?nothing=x`)
    for (const { name, schema } of (operation.parameters ?? []).filter((one) => one.in === 'query'))
      for (const value of ['', 'x'.repeat(300), ...(schema.type === 'integer' ? ['-1', '1e300'] : [])]) {
        const { status, body } = await app.ask(method, `${address}?${name}=${value}`, { key: keys.operator })
        expect(status, `${name}=${value}`).not.toBe(500)
        expect(JSON.stringify(body.error ?? ''), `${name}=${value}`).not.toMatch(rawSentence)
      }
  })

  const schema = operation.requestBody?.content['application/json']?.schema
  if (schema !== undefined)
    it('refuses a body with something wrong in any member, or too deep', async () => {
      for (const body of wrongBodies(schema, components.schemas))
        await refused(withIds(path), { body: JSON.stringify(body) })
      const deep = `${'{"a":['.repeat(10_000)}${']}'.repeat(10_000)}`
      await refused(withIds(path), { body: deep })
      await refused(withIds(path), { body: deep, headers: { 'idempotency-key': 'deep' } })
    })
})
