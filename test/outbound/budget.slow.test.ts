import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createByteBudget } from '../../src/bytes/budget.ts'
import { createOutbound, type OutboundRequest } from '../../src/outbound/outbound.ts'
import { serve } from './server.ts'

const KIB = 1024
const MIB = 1024 * KIB
const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

/** A guard with a budget of 8 MiB: 3 MiB for files, 1 MiB for answers. */
function guard(waitMs?: number) {
  const budget = createByteBudget(8 * MIB, waitMs === undefined ? {} : { waitMs })
  const outbound = createOutbound({ allowPrivate: 'all', userAgent: 'Galley/test', budget })
  onTestFinished(() => outbound.close())
  return { budget, outbound }
}

const sends =
  (body: Buffer, headers: Record<string, string | number> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(200, headers).end(body)

/** Sends without saying how much, in pieces. */
const drips =
  (size: number): RequestListener =>
  (_request, response) => {
    response.writeHead(200)
    for (let sent = 0; sent < size; sent += 64 * KIB) response.write(Buffer.alloc(64 * KIB, 7))
    response.end()
  }

const codeOf = (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => 'none',
    (error) => error.code,
  )

/** Until what was given up has also been let go of. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 20))

describe('a file that is held', () => {
  it('counts as long as it is, until it is released', async () => {
    const { budget, outbound } = guard()
    const site = await serve(sends(Buffer.alloc(MIB, 1), { 'content-length': MIB }))
    const { body, release } = await outbound.request(site, { hold: true, maxBytes: 2 * MIB })
    expect([body.equals(Buffer.alloc(MIB, 1)), budget.files.held]).toEqual([true, MIB])
    release?.()
    release?.()
    expect(budget.files.held).toBe(0)
  })

  it('counts as long as it turned out to be, where that was not said', async () => {
    const { budget, outbound } = guard()
    const site = await serve(drips(MIB))
    const { body, release } = await outbound.request(site, { hold: true, maxBytes: 2 * MIB })
    expect([body.equals(Buffer.alloc(MIB, 7)), budget.files.held]).toEqual([true, MIB])
    release?.()
  })

  it('waits for those before it, in their order, and holds nothing meanwhile', async () => {
    const { budget, outbound } = guard()
    const site = await serve(sends(Buffer.alloc(2 * MIB, 1), { 'content-length': 2 * MIB }))
    const file = () => outbound.request(site, { hold: true, maxBytes: 2 * MIB })
    const first = await file()
    let arrived = 0
    const others = Promise.all(
      [1, 2, 3].map(async () => {
        const { body, release } = await file()
        arrived += 1
        release?.()
        return body.length
      }),
    )
    while (budget.files.waiting < 3) await settle()
    expect([budget.files.held, arrived]).toEqual([2 * MIB, 0])
    first.release?.()
    expect(await others).toEqual([2 * MIB, 2 * MIB, 2 * MIB])
    expect([budget.files.held, budget.files.waiting]).toEqual([0, 0])
  })

  it('is not timed while it waits', async () => {
    const { budget, outbound } = guard()
    const site = await serve(sends(Buffer.alloc(2 * MIB), { 'content-length': 2 * MIB }))
    const held = await budget.files.take(3 * MIB)
    const file = outbound.request(site, { hold: true, maxBytes: 2 * MIB, timeoutMs: 500 })
    while (budget.files.waiting === 0) await settle()
    setTimeout(() => held.release(), 700)
    expect((await file).body).toHaveLength(2 * MIB)
  })
})

describe('what is not kept', () => {
  it('is handed on as it comes, and counts nothing', async () => {
    const { budget, outbound } = guard()
    const site = await serve(sends(Buffer.alloc(8 * MIB), { 'content-length': 8 * MIB }))
    let seen = 0
    let most = 0
    const { body } = await outbound.request(site, {
      maxBytes: 8 * MIB,
      onBody(chunk) {
        seen += chunk.length
        most = Math.max(most, budget.files.held + budget.answers.held)
      },
    })
    expect([body.length, seen, most]).toEqual([0, 8 * MIB, 0])
  })

  it('is the page of an error beyond its beginning', async () => {
    const { outbound } = guard()
    const site = await serve((_request, response) => response.writeHead(502).end(Buffer.alloc(4 * MIB, 32)))
    const { status, body } = await outbound.request(site, { maxBytes: 2 * MIB })
    expect([status, body.length]).toEqual([502, 64 * KIB])
  })

  it('is the page that comes with a redirect, and with a file that is not there', async () => {
    const { outbound } = guard()
    const site = await serve(({ url }, response) => {
      if (url === '/') response.writeHead(302, { location: '/file' })
      else response.writeHead(404)
      response.end(Buffer.alloc(4 * MIB, 32))
    })
    const { status, body } = await outbound.request(site, { redirects: 'follow', hold: true })
    expect([status, body.length]).toEqual([404, 0])
  })

  it('is the rest of a page of which the beginning is enough', async () => {
    const { outbound } = guard()
    const site = await serve(drips(4 * MIB))
    const { body } = await outbound.request(site, { maxBytes: 100_000, overflow: 'cut' })
    expect(body).toHaveLength(100_000)
  })
})

describe('a compressed answer', () => {
  const zeros = Buffer.alloc(100 * MIB)
  for (const [encoding, bomb] of [
    ['gzip', gzipSync(zeros)],
    ['x-gzip', gzipSync(zeros)],
    ['GZIP', gzipSync(zeros)],
    ['deflate', deflateSync(zeros)],
    ['br', brotliCompressSync(zeros, QUICKLY)],
  ] as const) {
    it(`of ${encoding} is given up where it grows too big, and no further`, async () => {
      const { budget, outbound } = guard()
      const site = await serve(sends(bomb, { 'content-encoding': encoding }))
      const before = process.memoryUsage().rss
      let peak = 0
      const watch = setInterval(() => {
        peak = Math.max(peak, process.memoryUsage().rss - before)
      }, 1)
      expect(await codeOf(outbound.request(site, { maxBytes: 512 * KIB }))).toBe('answer_too_big')
      clearInterval(watch)
      // 100 MiB, were it decoded whole.
      expect(peak).toBeLessThan(50 * MIB)
      expect(budget.answers.held).toBe(0)
    })
  }

  it('inside another is given up, and so is one that Galley cannot read', async () => {
    const { outbound } = guard()
    const nested = gzipSync(gzipSync(zeros))
    for (const encoding of ['gzip, gzip', 'gzip,br', 'zstd', 'compress', '__proto__', 'toString']) {
      const site = await serve(sends(nested, { 'content-encoding': encoding }))
      expect(await codeOf(outbound.request(site))).toBe('answer_undecodable')
    }
    // What is inside one that was named once stays compressed.
    const site = await serve(sends(nested, { 'content-encoding': 'gzip' }))
    expect((await outbound.request(site)).body.equals(gzipSync(zeros))).toBe(true)
  })

  it('that is empty is empty', async () => {
    const { outbound } = guard()
    const site = await serve(sends(Buffer.alloc(0), { 'content-encoding': 'gzip' }))
    expect((await outbound.request(site)).body).toHaveLength(0)
  })

  it('that breaks off is not taken for a whole one', async () => {
    const { outbound } = guard()
    const half = gzipSync(Buffer.from('x'.repeat(1000))).subarray(0, 20)
    const site = await serve(sends(half, { 'content-encoding': 'gzip' }))
    expect(await codeOf(outbound.request(site))).toBe('answer_undecodable')
  })
})

/** Every way that a request ends, with what it asks for. */
const ends: Record<string, { site: RequestListener; request?: OutboundRequest; code: string }> = {
  'all of it came': { site: sends(Buffer.alloc(MIB)), code: 'none' },
  'it says to be too big': {
    site: sends(Buffer.alloc(0), { 'content-length': 4 * MIB }),
    code: 'answer_too_big',
  },
  'it is too big': { site: drips(4 * MIB), code: 'answer_too_big' },
  'it is called off': {
    site: (_request, response) => void response.writeHead(200).write(Buffer.alloc(MIB)),
    request: { signal: AbortSignal.timeout(150) },
    code: 'request_aborted',
  },
  'it takes too long': {
    site: (_request, response) => void response.writeHead(200).write(Buffer.alloc(MIB)),
    request: { timeoutMs: 150 },
    code: 'site_timeout',
  },
  'it breaks off': {
    site: (_request, response) => {
      response.writeHead(200, { 'content-length': MIB }).write(Buffer.alloc(200 * KIB))
      setTimeout(() => response.destroy(), 50)
    },
    code: 'connection_lost',
  },
  'it is cut off while it is written out in full': {
    site: (_request, response) => {
      response.writeHead(200).write(Buffer.alloc(200 * KIB))
      setTimeout(() => response.destroy(), 50)
    },
    code: 'connection_lost',
  },
  'it is not what it says': {
    site: sends(Buffer.alloc(MIB, 1), { 'content-encoding': 'br' }),
    code: 'answer_undecodable',
  },
  'its reader fails': {
    site: sends(Buffer.alloc(MIB)),
    request: {
      onBody() {
        throw Object.assign(new Error('full'), { code: 'reader' })
      },
    },
    code: 'connection_lost',
  },
}

describe('nothing stays held', () => {
  for (const [way, { site, request, code }] of Object.entries(ends))
    for (const hold of [true, false])
      it(`where ${way}${hold ? ', of a file' : ''}`, async () => {
        const { budget, outbound } = guard()
        const url = await serve(site)
        const asked = outbound.request(url, { maxBytes: 2 * MIB, ...request, hold })
        expect(await codeOf(asked.then(({ release }) => release?.()))).toBe(code)
        const left = Object.values(budget).flatMap(({ held, waiting }) => [held, waiting])
        expect(left.every((bytes) => bytes === 0)).toBe(true)
      })

  it('where it is called off while it waits, and where it waited too long', async () => {
    const { budget, outbound } = guard(100)
    const site = await serve(drips(MIB))
    const held = await budget.files.take(3 * MIB)
    const asked = { hold: true, maxBytes: 2 * MIB }
    const called = new AbortController()
    const calledOff = codeOf(outbound.request(site, { ...asked, signal: called.signal }))
    while (budget.files.waiting === 0) await settle()
    called.abort()
    expect(await calledOff).toBe('request_aborted')
    expect(await codeOf(outbound.request(site, asked))).toBe('memory_busy')
    held.release()
    expect([budget.files.held, budget.files.waiting]).toEqual([0, 0])
  })
})

describe('a body in pieces', () => {
  it('is sent as it is asked for', async () => {
    const { outbound } = guard()
    const received: Buffer[] = []
    const site = await serve(async (request, response) => {
      request.on('data', (chunk) => received.push(chunk))
      await once(request, 'end')
      response.end(request.headers['content-length'])
    })
    const pieces = [Buffer.from('one'), Buffer.from('two')]
    const headers = { 'Content-Length': '6' }
    const { body } = await outbound.request(site, { method: 'POST', headers, body: pieces })
    expect([Buffer.concat(received).toString(), body.toString()]).toEqual(['onetwo', '6'])
  })
})
