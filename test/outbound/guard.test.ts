import { isIP, type LookupFunction } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { GalleyError } from '../../src/errors.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { hostile, hostileAnswers } from './hostile.ts'
import { serve } from './server.ts'
import { countConnections } from './sockets.ts'

const userAgent = 'Galley/0.0.0 (+https://galley.example)'
const outbound = createOutbound({ allowPrivate: [], userAgent })
afterAll(() => outbound.close())

const REFUSED = ['address_not_allowed', 'address_invalid']

/** The code that a request ends with. */
async function codeOf(request: Promise<unknown>): Promise<string> {
  return request.then(
    () => 'answered',
    (error: unknown) => (error instanceof GalleyError ? error.code : `threw ${error}`),
  )
}

const resolvesTo =
  (...addresses: string[]): LookupFunction =>
  (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    )

describe('the outbound guard', () => {
  it('knows at least 60 hostile forms', () => {
    expect(Object.values(hostile).flat().length).toBeGreaterThanOrEqual(60)
  })

  for (const [kind, addresses] of Object.entries(hostile)) {
    for (const address of addresses) {
      it(`makes no connection to ${kind}: “${address}”`, async () => {
        let code = ''
        const connections = await countConnections(async () => {
          code = await codeOf(outbound.request(address, { timeoutMs: 2_000 }))
        })
        // Not every machine knows all names of itself.
        const refused = REFUSED.includes(code) || (kind === 'loopback, by name' && code === 'dns_failed')
        expect({ connections, refused }, code).toEqual({ connections: 0, refused: true })
      })
    }
  }

  for (const [kind, answers] of Object.entries(hostileAnswers)) {
    it(`makes no connection to a name that resolves to ${kind}`, async () => {
      const rebound = createOutbound({ allowPrivate: [], userAgent, lookup: resolvesTo(...answers) })
      let code = ''
      const connections = await countConnections(async () => {
        code = await codeOf(rebound.request('http://blog.example/', { timeoutMs: 2_000 }))
      })
      await rebound.close()
      expect({ connections, code }).toEqual({ connections: 0, code: 'address_not_allowed' })
    })
  }

  it('does not tell which private address a name resolves to, but to the log', async () => {
    const rebound = createOutbound({ allowPrivate: [], userAgent, lookup: resolvesTo('10.11.12.13') })
    const refusal = await rebound.request('http://blog.example/').catch((error: unknown) => error)
    await rebound.close()
    const { message, details, cause } = refusal as GalleyError
    expect(JSON.stringify({ message, details })).not.toMatch(/10\.11\.12\.13|private/)
    expect(message).toContain('blog.example')
    expect(String(cause)).toContain('10.11.12.13')
  })

  it('makes no connection to a name that resolves to nothing', async () => {
    const nowhere = createOutbound({ allowPrivate: [], userAgent, lookup: resolvesTo() })
    const code = await codeOf(nowhere.request('http://blog.example/', { timeoutMs: 2_000 }))
    await nowhere.close()
    expect(code).toBe('dns_failed')
  })

  it('asks once for the address it connects to, so that no second answer can be another', async () => {
    const site = await serve((_request, response) => response.end('here'))
    let asked = 0
    const counting: LookupFunction = (hostname, options, callback) => {
      asked++
      resolvesTo(asked === 1 ? '127.0.0.1' : '10.0.0.1')(hostname, options, callback)
    }
    const guard = createOutbound({ allowPrivate: ['127.0.0.1'], userAgent, lookup: counting })
    const { body } = await guard.request(`http://blog.example:${site.port}/`)
    await guard.close()
    expect([body.toString(), asked]).toEqual(['here', 1])
  })

  it('refuses every hostile form as the target of a redirect, after the one connection that was allowed', async () => {
    const targets = Object.values(hostile)
      .flat()
      .filter((address) => /^[a-z]+:\/\//i.test(address))
    for (const target of targets) {
      const site = await serve((_request, response) =>
        response.writeHead(302, { location: encodeURI(decodeSafely(target)) }).end(),
      )
      const guard = createOutbound({ allowPrivate: [site.host], userAgent })
      let code = ''
      const connections = await countConnections(async () => {
        code = await codeOf(guard.request(site, { redirects: 'follow', timeoutMs: 2_000 }))
      })
      await guard.close()
      const refused = REFUSED.includes(code) || code === 'dns_failed'
      expect({ target, connections, refused }, code).toEqual({
        target,
        connections: 1,
        refused: true,
      })
    }
  })

  it('can count: an address that is allowed is connected to', async () => {
    const site = await serve((_request, response) => response.end())
    const guard = createOutbound({ allowPrivate: [site.host], userAgent })
    const connections = await countConnections(() => guard.request(site))
    await guard.close()
    expect(connections).toBe(1)
  })
})

const decodeSafely = (address: string): string => {
  try {
    return decodeURI(address)
  } catch (error) {
    if (error instanceof URIError) return address
    throw error
  }
}

describe('what the operator allows', () => {
  const allowed: [string, string[]][] = [
    ['an address', ['127.0.0.1']],
    ['a network', ['127.0.0.0/8']],
    ['a name', ['localhost']],
    ['everything', ['10.0.0.0/8', ' 127.0.0.1 ']],
  ]
  for (const [kind, entries] of allowed) {
    it(`is reached: ${kind}`, async () => {
      const site = await serve((_request, response) => response.end('here'))
      const guard = createOutbound({ allowPrivate: entries, userAgent })
      const host = kind === 'a name' ? 'localhost' : '127.0.0.1'
      const { body } = await guard.request(`http://${host}:${site.port}/`)
      await guard.close()
      expect(body.toString()).toBe('here')
    })
  }

  it('is reached on the port that was named, and on no other', async () => {
    const site = await serve((_request, response) => response.end('here'))
    const other = await serve((_request, response) => response.end('there'))
    const guard = createOutbound({ allowPrivate: [site.host], userAgent })
    const codes = [await codeOf(guard.request(site)), await codeOf(guard.request(other))]
    await guard.close()
    expect(codes).toEqual(['answered', 'address_not_allowed'])
  })

  it('is reached without a guard in development', async () => {
    const site = await serve((_request, response) => response.end('here'))
    const guard = createOutbound({ allowPrivate: 'all', userAgent })
    expect((await guard.request(site)).status).toBe(200)
    await guard.close()
  })

  for (const entry of ['10.0.0.0/99', 'http://x', 'a b', '', 'x:99999999']) {
    it(`is refused as a setting when it is “${entry}”`, () => {
      expect(() => createOutbound({ allowPrivate: [entry], userAgent })).toThrow('is not a CIDR')
    })
  }
})
