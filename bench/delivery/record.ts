import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'

/** One request of a delivery, as it went to WordPress. */
export interface RecordedRequest {
  method: string
  /** With its query. */
  path: string
  body: string
  /** What WordPress answered. */
  answer: string
}

export interface Recorder {
  url: string
  /** In the order they came. */
  requests(): RecordedRequest[]
  close(): void
}

/** Headers of one connection, which are not passed on. */
const HOP_BY_HOP = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'expect',
])

/** Stands in front of a WordPress and remembers what goes by. */
export async function startRecorder(target: string): Promise<Recorder> {
  const seen: RecordedRequest[] = []
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url: path = '/', headers } = incoming
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const passed = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name))
    const response = await request(`${target}${path}`, {
      method: method as 'GET' | 'POST',
      headers: Object.fromEntries(passed) as Record<string, string>,
      body: body.length > 0 ? body : null,
    })
    const answer = Buffer.from(await response.body.arrayBuffer())
    seen.push({ method, path, body: body.toString('utf8'), answer: answer.toString('utf8') })
    const answered = Object.entries(response.headers).filter(([name]) => !HOP_BY_HOP.has(name))
    outgoing.writeHead(response.statusCode, Object.fromEntries(answered)).end(answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => [...seen],
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
