import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { GalleyError } from '../../src/errors.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { serve } from './server.ts'
import { countConnections } from './sockets.ts'

const userAgent = 'Galley/0.0.0 (+https://galley.example)'
const outbound = createOutbound({ allowPrivate: 'all', userAgent })
afterAll(() => outbound.close())

async function errorOf(request: Promise<unknown>): Promise<GalleyError> {
  const error = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof GalleyError))
    throw new Error(`should have failed with one of our errors, not ${error}`)
  return error
}

const echo = (url: URL, headers?: Record<string, string>) =>
  outbound.request(url, { headers: headers ?? {} }).then(({ body }) => JSON.parse(body.toString()))

describe('a request', () => {
  it('says who it is from', async () => {
    const site = await serve(({ headers }, response) => response.end(JSON.stringify(headers)))
    expect((await echo(site))['user-agent']).toBe(userAgent)
  })

  it('answers status, lower-case headers, body and address', async () => {
    const site = await serve((_request, response) =>
      response.writeHead(418, { 'X-Tea': 'green' }).end('short'),
    )
    const answer = await outbound.request(new URL('pot', site))
    expect(answer).toMatchObject({ status: 418, headers: { 'x-tea': 'green' }, url: `${site}pot` })
    expect(answer.body.toString()).toBe('short')
  })

  it('shares connections with those before it to the same origin', async () => {
    const site = await serve((_request, response) => response.end())
    const connections = await countConnections(async () => {
      for (let i = 0; i < 10; i++) await outbound.request(site)
    })
    // undici frees a connection one turn of the event loop after the answer: two take turns.
    expect(connections).toBeLessThanOrEqual(2)
  })

  it('reads what a server compressed unasked', async () => {
    const site = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('hello')),
    )
    expect((await outbound.request(site)).body.toString()).toBe('hello')
  })
})

describe('redirects', () => {
  it('are followed on a read that asks for it, and answered otherwise', async () => {
    const site = await serve(({ url }, response) =>
      url === '/end' ? response.end('here') : response.writeHead(301, { location: '/end' }).end(),
    )
    expect(await outbound.request(site, { redirects: 'follow' })).toMatchObject({
      status: 200,
      url: `${site}end`,
    })
    expect((await outbound.request(site)).status).toBe(301)
  })

  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    it(`are never followed on ${method}`, async () => {
      let requests = 0
      const site = await serve((_request, response) => {
        requests++
        response.writeHead(307, { location: '/end' }).end()
      })
      const { status } = await outbound.request(site, { method, redirects: 'follow' })
      expect([status, requests]).toEqual([307, 1])
    })
  }

  it('take no credentials to another origin, and keep them within one', async () => {
    const seen: (string | undefined)[] = []
    const other = await serve(({ headers }, response) => {
      seen.push(headers.authorization)
      response.end()
    })
    const site = await serve(({ url, headers }, response) => {
      seen.push(headers.authorization)
      response.writeHead(302, { location: url === '/' ? '/again' : other.href }).end()
    })
    await outbound.request(site, { redirects: 'follow', headers: { Authorization: 'Basic eDp5' } })
    expect(seen).toEqual(['Basic eDp5', 'Basic eDp5', undefined])
  })

  it('end when they go in circles', async () => {
    const site = await serve((_request, response) => response.writeHead(302, { location: '/' }).end())
    const error = await errorOf(outbound.request(site, { redirects: 'follow' }))
    expect(error).toMatchObject({ code: 'too_many_redirects', action: 'retry' })
  })
})

describe('limits', () => {
  it('give up on a body over the cap', async () => {
    const site = await serve((_request, response) => response.end(Buffer.alloc(5_000)))
    const error = await errorOf(outbound.request(site, { maxBytes: 4_999 }))
    expect(error).toMatchObject({ code: 'answer_too_big', message: expect.stringContaining('4,999 bytes') })
    expect((await outbound.request(site, { maxBytes: 5_000 })).body).toHaveLength(5_000)
  })

  it('count the bytes after decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000))
    const site = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    )
    expect(await errorOf(outbound.request(site, { maxBytes: 100_000 }))).toMatchObject({
      code: 'answer_too_big',
    })
  })

  it('give up on a server that accepts and says nothing', async () => {
    const site = await serve(() => undefined)
    const error = await errorOf(outbound.request(site, { timeoutMs: 100 }))
    expect(error).toMatchObject({
      code: 'site_timeout',
      action: 'retry',
      message: expect.stringContaining('0.1 s'),
    })
  })

  it('give up on a server that goes on for ever, byte by byte', async () => {
    const site = await serve((_request, response) => {
      const drip = setInterval(() => response.write('.'), 10)
      response.on('close', () => clearInterval(drip))
    })
    expect(await errorOf(outbound.request(site, { timeoutMs: 200 }))).toMatchObject({ code: 'site_timeout' })
  })

  it('end a request that the caller calls off', async () => {
    const site = await serve(() => undefined)
    const signal = AbortSignal.timeout(50)
    expect(await errorOf(outbound.request(site, { signal }))).toMatchObject({ code: 'request_aborted' })
    expect(await errorOf(outbound.request(site, { signal }))).toMatchObject({ action: 'retry' })
  })

  it('end what is under way when the guard is closed', async () => {
    const guard = createOutbound({ allowPrivate: 'all', userAgent })
    const site = await serve(() => undefined)
    const request = errorOf(guard.request(site))
    setTimeout(() => guard.close(), 50)
    expect(await request).toMatchObject({ code: 'request_aborted' })
  })
})

describe('a failure is ambiguous for a write from the moment something may have left', () => {
  it('retry, where the connection is refused', async () => {
    const site = new URL('http://127.0.0.1:1/')
    const error = await errorOf(outbound.request(site, { method: 'POST', body: 'x' }))
    expect(error).toMatchObject({ code: 'site_unreachable', action: 'retry', fault: 'site' })
  })

  it('retry, and by the code of an address to which there is a route', async () => {
    const guard = createOutbound({
      allowPrivate: 'all',
      userAgent,
      // TCP has no route to the first.
      lookup: (_name, _options, callback) =>
        callback(
          null,
          ['255.255.255.255', '127.0.0.1'].map((address) => ({ address, family: 4 })),
        ),
    })
    const error = await errorOf(guard.request('http://blog.example:1/'))
    expect(error).toMatchObject({ code: 'site_unreachable', details: { seen: 'ECONNREFUSED' } })
    await guard.close()
  })

  it('retry, where the name does not resolve', async () => {
    const error = await errorOf(outbound.request('http://nowhere.invalid/', { method: 'POST', body: 'x' }))
    expect(error).toMatchObject({ code: 'dns_failed', action: 'retry' })
  })

  it('retry, where the server does not speak TLS', async () => {
    const site = await serve((_request, response) => response.end())
    const error = await errorOf(outbound.request(`https://${site.host}/`, { method: 'POST', body: 'x' }))
    expect(error).toMatchObject({
      code: 'tls_failed',
      action: 'retry',
      message: expect.stringContaining('something that does not speak TLS'),
    })
  })

  for (const [method, action] of [
    ['POST', 'ambiguous'],
    ['DELETE', 'ambiguous'],
    ['GET', 'retry'],
  ] as const) {
    it(`${action}, where the connection is cut after ${method}`, async () => {
      const site = await serve((request) => request.socket.destroy())
      expect(await errorOf(outbound.request(site, { method }))).toMatchObject({
        code: 'connection_lost',
        action,
      })
    })
  }

  it('ambiguous, where the answer is not HTTP', async () => {
    const site = await serve((_request, response) => response.socket?.end('not HTTP at all'))
    const error = await errorOf(outbound.request(site, { method: 'POST', body: 'x' }))
    expect(error).toMatchObject({ code: 'connection_lost', action: 'ambiguous' })
  })
})
