import { setTimeout as wait } from 'node:timers/promises'
import type { Way } from './server.ts'

/** Milliseconds that a hanging answer is left open before the connection ends. */
const HANG_MS = 3_000

/** Answers that come late, by halves, without end or not at all. */
export const transportWays: Record<string, Way> = {
  hangs: async ({ response }) => {
    await wait(HANG_MS)
    response.destroy()
    return null
  },
  'closes at once': ({ response }) => {
    response.destroy()
    return null
  },
  'stops half-way': ({ response, honest }) => {
    const body = Buffer.from(honest.text ?? JSON.stringify(honest.json))
    response.writeHead(honest.status, { ...honest.headers, 'content-length': body.length + 100 })
    response.write(body.subarray(0, body.length / 2), () => response.destroy())
    return null
  },
  drips: async ({ response, honest }) => {
    response.writeHead(honest.status, honest.headers)
    for (let n = 0; n < 20 && !response.destroyed; n += 1) {
      response.write(' ')
      await wait(100)
    }
    response.end(honest.text ?? JSON.stringify(honest.json))
    return null
  },
  'never ends': async ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const part = Buffer.alloc(1024 * 1024, ' ')
    for (let n = 0; n < 400 && !response.destroyed; n += 1) {
      if (!response.write(part))
        await Promise.race([wait(500), new Promise((go) => response.once('drain', go))])
    }
    response.destroy()
    return null
  },
  'no HTTP': ({ response }) => {
    response.socket?.end('\0\0 this is no HTTP\r\n\r\n')
    return null
  },
}
