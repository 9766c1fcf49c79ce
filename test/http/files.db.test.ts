import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import express from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Storage } from '../../src/generation/storage/storage.ts'
import { filesRouter } from '../../src/http/routers/files.ts'
import { errorHandler } from '../../src/http/routing.ts'
import { type StorageStage, startStorage } from '../generation/storage/stage.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const picture = randomBytes(200_000)

/** Keeps a file; resolves with the path of its address. */
async function kept({ type = 'image/png', extension = 'png', body = picture } = {}): Promise<string> {
  const { url } = await app.storage.keep({ accountId: app.owner.id, type, extension, body, served: true })
  return new URL(url as string).pathname
}

/** Nobody asks for files with a key. */
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${app.url}${path}`, { method, headers })

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

test('200-whole, with its type, its length and a name to save it under', async () => {
  const path = await kept()
  const response = await get(path)
  expect(response.status).toBe(200)
  expect(await bytesOf(response)).toEqual(picture)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': '200000',
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
    'content-security-policy': "default-src 'none'; sandbox",
    'content-disposition': `inline; filename="galley-${path.slice(7, 15)}.png"`,
  })
})

test('200-saved, where a browser might run it', async () => {
  const path = await kept({ type: 'text/html', extension: 'html', body: Buffer.from('<script>1</script>') })
  const { headers } = await get(path)
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="galley-[0-9a-f]{8}\.html"$/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test('200-head, without the bytes', async () => {
  const response = await get(await kept(), { range: 'bytes=0-9' }, 'HEAD')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-length')).toBe('200000')
  expect(await bytesOf(response)).toHaveLength(0)
})

test('200-cached, and not for longer than the file is kept', async () => {
  const path = await kept()
  const token = path.slice(7, 55)
  const seconds = async () => {
    const control = (await get(path, {}, 'HEAD')).headers.get('cache-control') ?? ''
    expect(control).toMatch(/^public, max-age=\d+, immutable$/)
    return Number(control.replace(/\D/g, ''))
  }
  const goes = (interval: string) =>
    app.database.pool.query(`UPDATE stored_file SET expires_at = now() + $1::interval WHERE token = $2`, [
      interval,
      token,
    ])
  expect(await seconds()).toBeLessThanOrEqual(30 * 86_400)
  expect(await seconds()).toBeGreaterThan(29 * 86_400)
  await goes('1 hour')
  expect(await seconds()).toBeLessThanOrEqual(3600)
  expect(await seconds()).toBeGreaterThan(3000)
  await app.database.pool.query('UPDATE stored_file SET expires_at = NULL WHERE token = $1', [token])
  expect(await seconds()).toBe(31_536_000)
  await goes('-1 second')
  expect(await get(path)).toMatchObject({ status: 404 })
})

test('304-not-modified, by the tag and by the time, with nothing but what caches need', async () => {
  const path = await kept()
  const first = await get(path)
  const etag = first.headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[0-9a-f]{64}"$/)
  const again = await get(path, { 'if-none-match': `"other", ${etag}` })
  expect(again.status).toBe(304)
  expect(await bytesOf(again)).toHaveLength(0)
  expect(again.headers.get('etag')).toBe(etag)
  expect(again.headers.get('cache-control')).toMatch(/^public, max-age=/)
  const since = first.headers.get('last-modified') ?? ''
  expect(await get(path, { 'if-modified-since': since })).toMatchObject({ status: 304 })
  expect(await get(path, { 'if-none-match': '"other"' })).toMatchObject({ status: 200 })
  expect(await get(path, { 'if-none-match': '"other"', 'if-modified-since': since })).toMatchObject({
    status: 200,
  })
})

describe('206-part', () => {
  test.each([
    ['bytes=0-0', 0, 0],
    ['bytes=100-65999', 100, 65_999],
    ['bytes=199999-', 199_999, 199_999],
    ['bytes=-5', 199_995, 199_999],
    ['Bytes=7-', 7, 199_999],
    ['bytes=-999999', 0, 199_999],
    ['bytes=150000-999999', 150_000, 199_999],
  ])('%s', async (range, start, end) => {
    const response = await get(await kept(), { range })
    expect(response.status).toBe(206)
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end}/200000`)
    expect(response.headers.get('content-length')).toBe(String(end - start + 1))
    expect((await bytesOf(response)).equals(picture.subarray(start, end + 1))).toBe(true)
  })

  test('of the file that the client has begun to take, and else the whole', async () => {
    const path = await kept()
    const { headers } = await get(path, {}, 'HEAD')
    const etag = headers.get('etag') ?? ''
    const part = (condition: string) => get(path, { range: 'bytes=0-9', 'if-range': condition })
    expect(await part(etag)).toMatchObject({ status: 206 })
    expect(await part(headers.get('last-modified') ?? '')).toMatchObject({ status: 206 })
    for (const other of ['"other"', `W/${etag}`, 'Mon, 01 Jan 2024 00:00:00 GMT', 'nonsense'])
      expect(await part(other), other).toMatchObject({ status: 200 })
  })
})

test.each(['bytes=0-1,5-9', 'bytes=9-1x', 'bytes=9-1', 'bytes=-', 'pages=1-2', 'bytes', ''])(
  '200-whole, where the range is %j, which is none that can be served',
  async (range) => {
    const response = await get(await kept(), { range })
    expect(response.status).toBe(200)
    expect(await bytesOf(response)).toHaveLength(200_000)
  },
)

test('416-beyond-the-end', async () => {
  const response = await get(await kept(), { range: 'bytes=200000-' })
  expect(await get(await kept(), { range: 'bytes=-0' })).toMatchObject({ status: 416 })
  expect(response.status).toBe(416)
  expect(response.headers.get('content-range')).toBe('bytes */200000')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await response.json()).toMatchObject({ success: false, error: { code: 'RANGE_NOT_SATISFIABLE' } })
})

test('200-empty, also where a part of nothing is asked for', async () => {
  const path = await kept({ body: Buffer.alloc(0) })
  const response = await get(path)
  expect(response).toMatchObject({ status: 200 })
  expect(response.headers.get('content-length')).toBe('0')
  expect(await get(path, { range: 'bytes=0-0' })).toMatchObject({ status: 416 })
})

test('404-unknown, whatever is not the address of a file', async () => {
  const path = await kept()
  const token = path.slice(7, 55)
  const others = [
    token,
    `${token}.jpg`,
    `${token.toUpperCase()}.png`,
    `${token}.png/`,
    '..%2f..%2fetc',
    '%00',
  ]
  for (const name of [...others, `${randomBytes(24).toString('hex')}.png`, '']) {
    const response = await get(`/files/${name}`)
    expect(response.status, name).toBe(404)
    expect(response.headers.get('cache-control')).toBe('no-store')
  }
})

test('404-gone, where somebody removed the file itself', async () => {
  const path = await kept()
  await rm(app.dataDir, { recursive: true })
  const response = await get(path)
  expect(response.status).toBe(404)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('etag')).toBeNull()
  expect(await response.json()).toMatchObject({ error: { code: 'NOT_FOUND' } })
})

test('405-written-to', async () => {
  const response = await get(await kept(), {}, 'PUT')
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('GET, HEAD')
})

test('the log has no token', async () => {
  const path = await kept()
  await get(path)
  expect(app.logged.join('')).toContain('/files/')
  expect(app.logged.join('')).not.toContain(path.slice(7, 55))
})

describe('whoever takes a file slowly', () => {
  const BYTES = 64 * 1024 * 1024
  let stage: StorageStage
  let server: ReturnType<typeof createServer>
  let read = 0
  let closed = 0
  let path: string

  beforeAll(async () => {
    stage = await startStorage()
    const kept = await stage.storage.keep({
      accountId: stage.accountId,
      type: 'audio/wav',
      extension: 'wav',
      body: Buffer.alloc(BYTES),
      served: true,
    })
    path = new URL(kept.url as string).pathname
    const counting: Storage = {
      ...stage.storage,
      async served(name) {
        const file = await stage.storage.served(name)
        if (file === undefined) return undefined
        const open: typeof file.open = async (range) => {
          const body = await file.open(range)
          const push = body.push.bind(body)
          body.push = (piece) => {
            read += piece?.length ?? 0
            return push(piece)
          }
          body.once('close', () => {
            closed += 1
          })
          return body
        }
        return { ...file, open }
      },
    }
    server = createServer(express().use(filesRouter({ storage: counting }, 1_000), errorHandler))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterAll(async () => {
    server.closeAllConnections()
    server.close()
    await stage.stop()
  })

  test('holds little of it in memory, and is let go when its reader takes nothing more', async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.pause()
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    while (read === 0) await wait(10)
    // What the system's own buffers take is not ours.
    let before = -1
    while (before !== read) {
      before = read
      await wait(300)
    }
    expect(read).toBeLessThan(BYTES / 2)
    while (closed === 0) await wait(20)
    expect(read).toBeLessThan(BYTES / 2)
    socket.destroy()
  })
})
