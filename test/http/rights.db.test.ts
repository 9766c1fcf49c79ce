import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../scripts/openapi/routes.ts'
import { createKey } from '../../src/accounts/keys.ts'
import { allowsSiteScope, hasRight, type Role, roles } from '../../src/accounts/rights.ts'
import { resourceKind } from '../../src/http/site-access.ts'
import { startApp, type TestApp } from './app.ts'

const calls = endpoints().map(({ method, path, right }) => ({
  method,
  path,
  may: roles.filter((role) => hasRight(role, right)),
  limited: allowsSiteScope(right),
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

/** Asks with a body that nobody can read. What is answered is not waited for to its end: it may have none. */
async function ask(method: string, path: string, key: string) {
  const stop = new AbortController()
  const response = await fetch(app.url + path.replaceAll(/\{\w+\}/g, crypto.randomUUID()), {
    method: method.toUpperCase(),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(method !== 'get' && { body: '{"unreadable' }),
    signal: stop.signal,
  })
  const { status } = response
  const code = status < 400 ? null : ((await response.json()) as { error: { code: string } }).error.code
  stop.abort()
  return { status, code }
}

const call = (name: string) => calls.find(({ method, path }) => `${method.toUpperCase()} ${path}` === name)

describe('the right of a call', () => {
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

  it.each(calls)('403-exactly where it says, before the body is read: $method $path', async (call) => {
    const refused: string[] = []
    for (const role of roles) {
      const { status, code } = await ask(call.method, call.path, keys[role])
      expect(status).not.toBe(401)
      if (status === 403) refused.push(role)
      expect(status === 403 ? code : 'FORBIDDEN').toBe('FORBIDDEN')
    }
    expect(refused).toEqual(roles.filter((role) => !call.may.includes(role)))
  })

  it.each(calls)('holds for a key that is limited to sites: $method $path', async (call) => {
    const allowed = call.limited && call.may.includes('manager')
    const { status } = await ask(call.method, call.path, keys.limited)
    expect(status === 403).toBe(!allowed)
    // Of what has an id, it is said what a limited key sees of it; all else it does not see.
    if (allowed && call.path.includes('{')) {
      expect(resourceKind(call.path), `add it to src/http/site-access.ts: ${call.path}`).toBeDefined()
      if (resourceKind(call.path) !== 'all') expect(status).toBe(404)
    }
  })
})
