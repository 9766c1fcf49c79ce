import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { clientApi } from '../../scripts/openapi/client.ts'
import { description } from '../../scripts/openapi/routes.ts'
import { run } from './world.ts'

test('the client is what the description says: npm run generate', () => {
  const now = clientApi(JSON.parse(JSON.stringify(description)))
  expect(readFileSync('src/client/generated/api.ts', 'utf8')).toBe(now)
})

let server: Server | undefined
afterEach(() => void server?.close())

async function answering(listener: RequestListener): Promise<string> {
  server = createServer(listener)
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const list = (url: string, key = 'gly_sk_x') =>
  run(['keys', 'list', '--url', url], { env: { GALLEY_KEY: key } })

const failing =
  (status: number): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ success: false, error: { code: 'SOME_CODE', message: 'Some sentence.' } }))
  }

test.each([
  [400, 2],
  [401, 3],
  [403, 3],
  [404, 4],
  [409, 6],
  [422, 2],
  [429, 6],
  [500, 1],
  [503, 5],
])('an answer of %i ends a command with %i', async (status, code) => {
  expect(await list(await answering(failing(status)))).toEqual({ code, out: '', err: 'Some sentence.\n' })
})

test('nobody at the address ends a command with 5', async () => {
  const { code, err } = await list('http://127.0.0.1:9')
  expect(code).toBe(5)
  expect(err).toMatch(/^There is no answer from http:\/\/127\.0\.0\.1:9: [^.]+\.$/m)
})

test.each<[string, RequestListener]>([
  ['a page', (_request, response) => response.end('<title>A shop</title>')],
  [
    'another JSON',
    (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'),
  ],
  [
    'broken JSON',
    (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":tr'),
  ],
  [
    'a redirect',
    (_request, response) => void response.writeHead(302, { location: 'https://example.com/' }).end(),
  ],
])('%s is no Galley: 5', async (_what, listener) => {
  expect(await list(await answering(listener))).toMatchObject({ code: 5, out: '' })
})

test('the key goes to no other address than the one that was given', async () => {
  const keys: unknown[] = []
  let other = ''
  const url = await answering((request, response) => {
    keys.push(request.headers.authorization)
    response.writeHead(307, { location: `${other}/v1/keys` }).end()
  })
  other = url.replace('127.0.0.1', 'localhost')
  await list(url)
  expect(keys).toEqual(['Bearer gly_sk_x'])
})

test('no key and a wrong address are said before anybody is asked', async () => {
  expect(await run(['keys', 'list'])).toMatchObject({ code: 3, err: expect.stringContaining('GALLEY_KEY') })
  expect(await list('ftp://x')).toMatchObject({
    code: 2,
    err: expect.stringContaining('not the address of a Galley'),
  })
})

test('Ctrl-C ends a command with 130', async () => {
  const stop = new AbortController()
  const url = await answering(() => stop.abort())
  expect(
    await run(['keys', 'list', '--url', url], { env: { GALLEY_KEY: 'x' }, stop: stop.signal }),
  ).toMatchObject({ code: 130 })
})

test('what an answer holds cannot act on a terminal, as JSON or as a file', async () => {
  const evil = '\u001b]0;owned\u0007\u009b2J\u202eevil'
  const url = await answering((request, response) => {
    const isFile = request.url?.includes('export')
    response.writeHead(200, {
      'content-type': isFile ? 'text/csv' : 'application/json',
      'x-request-id': 'a',
    })
    response.end(
      isFile ? `id,title\r\n1,${evil}\r\n` : JSON.stringify({ success: true, data: [{ name: evil }] }),
    )
  })
  const env = { GALLEY_KEY: 'x' }
  const asFile = ['export', 'deliveries', '--format', 'csv', '--url', url]
  expect((await run(asFile, { env })).out).toBe(`id,title\r\n1,${evil}\r\n`)
  const seen = [
    (await run(asFile, { env, columns: 80 })).out,
    (await run(['keys', 'list', '--json', '--url', url], { env, columns: 80 })).out,
  ]
  for (const text of seen) {
    expect(text).toContain('owned')
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
  }
})

test('what a failure says cannot act on a terminal, as JSON either', async () => {
  const url = await answering((_request, response) => {
    response.writeHead(422, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ success: false, error: { code: 'x', message: 'a\u009b2J\u202eb' } }))
  })
  for (const args of [[], ['--json']]) {
    const { err } = await run(['keys', 'list', '--url', url, ...args], { env: { GALLEY_KEY: 'x' } })
    expect(err.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
  }
})

test('what an answer holds cannot act on a terminal', async () => {
  const key = {
    id: 'x',
    name: '\u001b]0;owned\u0007\u001b[2Jevil\nname',
    last_four: 'abcd',
    last_used_at: null,
    revoked_at: null,
  }
  const url = await answering((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ success: true, data: [key], next_cursor: null }))
  })
  const { out } = await list(url)
  expect(out.split('\n')).toHaveLength(3)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
  expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  expect(out).toContain('\\u{1b}]0;owned\\u{7}\\u{1b}[2Jevil name')
})
