import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { png } from '../../support/files.ts'

/** Pictures that documents name: one that is in order at `/good.png`, and others that are not. */
export interface FileServer {
  port: number
  url: string
  /** Paths of those that are small on the wire and as they become. */
  light: string[]
  /** Paths of those that are not. */
  heavy: string[]
  close(): Promise<void>
}

const good = png(8, 8, [200, 40, 40])

/** A picture whose header says that it is larger than any memory. */
function immense(): Buffer {
  const bytes = Buffer.from(good)
  bytes.writeUInt32BE(0x7fffffff, 16)
  bytes.writeUInt32BE(0x7fffffff, 20)
  return bytes
}

const megabytes = (count: number) => Buffer.concat([good, Buffer.alloc(count * 1024 * 1024)])

type Answer = (response: ServerResponse) => void

const file =
  (bytes: () => Buffer, headers: Record<string, string> = {}): Answer =>
  (response) => {
    const body = bytes()
    response
      .writeHead(200, { 'content-type': 'image/png', 'content-length': body.length, ...headers })
      .end(body)
  }

const answers: Record<string, Answer> = {
  '/good.png': file(() => good),
  '/immense.png': file(immense),
  '/8-megabytes.png': file(() => megabytes(8)),
  '/60-megabytes.png': file(() => megabytes(60)),
  '/bomb.png': file(() => gzipSync(Buffer.alloc(100 * 1024 * 1024)), { 'content-encoding': 'gzip' }),
  '/corrupt.png': file(() => good, { 'content-encoding': 'br' }),
  '/short.png': file(() => good.subarray(0, 12)),
  '/empty.png': file(() => Buffer.alloc(0)),
  '/page.png': file(() => Buffer.from('<!doctype html><script>alert(1)</script>'), {
    'content-type': 'text/html',
  }),
  '/svg.png': file(() => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')),
  '/cut.png': (response) => {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': good.length + 1000 })
    response.write(good, () => response.destroy())
  },
  '/loop.png': (response) => void response.writeHead(302, { location: '/loop.png' }).end(),
  '/inside.png': (response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  '/closes.png': (response) => response.destroy(),
}

const heavy = ['/8-megabytes.png', '/60-megabytes.png', '/bomb.png']

export async function startFiles(): Promise<FileServer> {
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    const answer = answers[(request.url ?? '').replace(/\?.*/s, '')]
    if (answer === undefined) response.writeHead(404).end()
    else answer(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    light: Object.keys(answers).filter((path) => !heavy.includes(path)),
    heavy,
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
