import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createByteBudget } from '../../src/bytes/budget.ts'
import type { Action, AtFault } from '../../src/errors.ts'
import { classifyTransportError, type TransportCode } from '../../src/outbound/failures.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { serve } from './server.ts'

const userAgent = 'Galley/0.0.0 (+https://galley.example)'
const outbound = createOutbound({ allowPrivate: 'all', userAgent })
const guarded = createOutbound({ allowPrivate: [], userAgent })
afterAll(() => Promise.all([outbound.close(), guarded.close()]))

interface Row {
  reads: string
  fault: AtFault
  action: Action
  provoke: () => Promise<unknown>
}

/** No row of the catalogue is without its test: a new one does not compile before it is here. */
const rows = {
  address_invalid: {
    reads: '“galley” is not a web address. Give a web address in full',
    fault: 'owner',
    action: 'owner',
    provoke: () => outbound.request('galley'),
  },
  address_not_allowed: {
    reads: '10.0.0.1 is not a public address (private). If this server is yours',
    fault: 'owner',
    action: 'owner',
    provoke: () => guarded.request('http://10.0.0.1/'),
  },
  dns_failed: {
    reads: 'The name nowhere.invalid cannot be resolved',
    fault: 'site',
    action: 'retry',
    provoke: () => outbound.request('http://nowhere.invalid/'),
  },
  tls_failed: {
    reads: 'something that does not speak TLS answers on this port',
    fault: 'site',
    action: 'retry',
    provoke: async () => outbound.request(`https://${(await serve((_, response) => response.end())).host}/`),
  },
  site_unreachable: {
    reads: 'does not accept connections (ECONNREFUSED)',
    fault: 'site',
    action: 'retry',
    provoke: () => outbound.request('http://127.0.0.1:1/'),
  },
  connection_lost: {
    reads: ': the connection was closed.',
    fault: 'site',
    action: 'retry',
    provoke: async () => outbound.request(await serve(({ socket }) => socket.destroy())),
  },
  site_timeout: {
    reads: 'did not answer in time (0.05 s)',
    fault: 'site',
    action: 'retry',
    provoke: async () => outbound.request(await serve(() => undefined), { timeoutMs: 50 }),
  },
  answer_too_big: {
    reads: 'sent an answer larger than 10 bytes',
    fault: 'site',
    action: 'permanent',
    provoke: async () =>
      outbound.request(await serve((_, response) => response.end('more than ten')), { maxBytes: 10 }),
  },
  answer_undecodable: {
    reads: 'is not compressed the way it says (gzip)',
    fault: 'site',
    action: 'retry',
    provoke: async () =>
      outbound.request(
        await serve((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain')),
      ),
  },
  too_many_redirects: {
    reads: 'redirects in circles (10 redirects',
    fault: 'site',
    action: 'retry',
    provoke: async () => {
      const site = await serve((_, response) => response.writeHead(302, { location: '/' }).end())
      return outbound.request(site, { redirects: 'follow' })
    },
  },
  memory_busy: {
    reads: 'as much data as its memory limit allows',
    fault: 'galley',
    action: 'retry',
    provoke: async () => {
      const budget = createByteBudget(1024 * 1024, { waitMs: 20 })
      await budget.answers.take(budget.answers.size)
      const busy = createOutbound({ allowPrivate: 'all', userAgent: 'Galley/test', budget })
      const site = await serve((_, response) => response.end(Buffer.alloc(100_000)))
      return busy.request(site, { maxBytes: 200_000 }).finally(() => busy.close())
    },
  },
  request_aborted: {
    reads: 'Galley cancelled the request to',
    fault: 'galley',
    action: 'retry',
    provoke: async () => outbound.request(await serve(() => undefined), { signal: AbortSignal.timeout(20) }),
  },
} satisfies Record<TransportCode, Row>

describe('what a person reads where there was no answer', () => {
  for (const [code, { reads, fault, action, provoke }] of Object.entries<Row>(rows)) {
    it(`${code}: “… ${reads} …”`, async () => {
      await expect(provoke()).rejects.toMatchObject({
        code,
        fault,
        action,
        message: expect.stringContaining(reads),
      })
    })
  }
})

describe('an answer that cannot be read as one', () => {
  for (const [name, answer, reads] of [
    ['is no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'what it sent is not HTTP, or breaks its rules'],
    ['has a status of six digits', 'HTTP/1.1 999999 X\r\n\r\n', 'what it sent is not HTTP'],
    [
      'has endless headers',
      `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(200_000)}\r\n\r\n`,
      'its headers are longer than Galley reads',
    ],
    ['ends in the midst', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx', 'the connection was closed'],
    ['ends in a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nx', 'closed'],
  ] as const) {
    it(`is said to be so where it ${name}, in no library’s words`, async () => {
      const failed = outbound.request(await serve(({ socket }) => socket.end(answer)))
      const error = await failed.catch((thrown) => thrown)
      expect(error).toMatchObject({ code: 'connection_lost', message: expect.stringContaining(reads) })
      expect(error.message).not.toMatch(/Error|HPE_|UND_ERR|other side/)
    })
  }
})

describe('a certificate that is refused', () => {
  const url = new URL('https://blog.example/')
  for (const [code, reads] of [
    ['CERT_HAS_EXPIRED', 'its certificate has expired'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another name'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the intermediate certificate is missing'],
    ['CERT_REVOKED', 'CERT_REVOKED'],
  ]) {
    it(`is named in words: “${reads}”`, () => {
      const thrown = Object.assign(new Error('refused'), { code })
      expect(classifyTransportError(thrown, { url, method: 'POST', sent: false })).toMatchObject({
        code: 'tls_failed',
        action: 'retry',
        message: expect.stringContaining(`${reads}`),
        cause: thrown,
      })
    })
  }
})

it('a site whose certificate nobody signed is refused before anything is sent', async () => {
  const pem = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url))
  let asked = 0
  const server = createServer({ key: pem('key'), cert: pem('self-signed') }, (_request, response) => {
    asked += 1
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.address() as AddressInfo
  await expect(outbound.request(`https://127.0.0.1:${port}/`)).rejects.toMatchObject({
    code: 'tls_failed',
    message: expect.stringContaining('its certificate is self-signed'),
  })
  expect(asked).toBe(0)
})
