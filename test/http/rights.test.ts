import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../scripts/openapi/routes.ts'
import { withTable } from '../../scripts/rights.ts'
import { createKey } from '../../src/accounts/keys.ts'
import { type Role, roles } from '../../src/accounts/rights.ts'
import { kindOf } from '../../src/http/limits.ts'
import { startApp, type TestApp } from './app.ts'

const page = readFileSync('docs/api.md', 'utf8')

/** The table as docs/api.md has it: for each call, the roles that may make it, and whether a limited key may. */
const table = new Map(
  page.split('\n').flatMap((line) => {
    const [, call, right, ...cells] = line.split('|').map((cell) => cell.trim())
    if (!/^`[A-Z]+ \/v1\//.test(call ?? '') || !right?.startsWith('`')) return []
    const may = roles.filter((_, index) => cells[index] === '✓')
    return [[call?.replaceAll('`', ''), { may, limited: cells[roles.length] === '✓' }] as const]
  }),
)

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

describe('the table of rights', () => {
  it('is what the endpoints say: npm run rights', () => {
    expect(page).toBe(withTable(page))
    expect([...table.keys()].toSorted()).toEqual(
      endpoints()
        .map(({ method, path }) => `${method.toUpperCase()} ${path}`)
        .toSorted(),
    )
  })

  it('is no table in which everybody may do everything', () => {
    expect(table.get('POST /v1/accounts')?.may).toEqual(['operator'])
    expect(table.get('POST /v1/keys')).toEqual({ may: ['operator', 'owner'], limited: false })
    expect(table.get('PATCH /v1/sites/{uuid}')).toEqual({
      may: ['operator', 'owner', 'manager'],
      limited: true,
    })
    expect(table.get('POST /v1/deliveries/{uuid}/retry')?.may).not.toContain('source')
    expect(table.get('GET /v1/audit')?.may).not.toContain('manager')
  })

  it.each(endpoints().map(({ method, path }) => [method, path] as const))(
    '403-exactly where it says, before the body is read: %s %s',
    async (method, path) => {
      const line = table.get(`${method.toUpperCase()} ${path}`)
      const refused: string[] = []
      for (const role of roles) {
        const { status, code } = await ask(method, path, keys[role])
        expect(status).not.toBe(401)
        if (status === 403) refused.push(role)
        expect(status === 403 ? code : 'FORBIDDEN').toBe('FORBIDDEN')
      }
      expect(refused).toEqual(roles.filter((role) => !line?.may.includes(role)))
    },
  )

  it.each(endpoints().map(({ method, path }) => [method, path] as const))(
    'holds for a key that is limited to sites: %s %s',
    async (method, path) => {
      const line = table.get(`${method.toUpperCase()} ${path}`)
      const allowed = line?.limited === true && line.may.includes('manager')
      const { status } = await ask(method, path, keys.limited)
      expect(status === 403).toBe(!allowed)
      // Of what has an id, it is said what a limited key sees of it; all else it does not see.
      if (allowed && path.includes('{')) {
        expect(kindOf(path), `add it to src/http/limits.ts: ${path}`).toBeDefined()
        if (kindOf(path) !== 'all') expect(status).toBe(404)
      }
    },
  )
})
