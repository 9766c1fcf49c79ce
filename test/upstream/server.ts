import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Answering = (response: ServerResponse, request: IncomingMessage) => void

/** The API that made the documents, as well or as badly as a test wants it. */
export interface UpstreamServer {
  /** Its base address. */
  url: string
  /** Every request: the document that it asks for, and the key that it shows. */
  asked: { id: string; key: string | undefined; method: string | undefined }[]
  /** How it answers about a document; 404 about any other. */
  about: Map<string, Answering>
  /** How it answers about all of them, while that is set. */
  all: Answering | undefined
  close(): Promise<void>
}

/** A status answer as the contract has it. */
export const answers =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answering =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

/** That a document is completed, around the `data` of a webhook. */
export const completedAs = (id: string, data: unknown, more: object = {}): Answering =>
  answers({ success: true, id, status: 'completed', data, ...more })

export async function startUpstream(): Promise<UpstreamServer> {
  const server: Omit<UpstreamServer, 'url' | 'close'> = { asked: [], about: new Map(), all: undefined }
  const http = createServer((request, response) => {
    const id = /^\/v1\/document\/status\/([0-9a-f-]+)$/.exec(request.url ?? '')?.[1] ?? request.url ?? ''
    server.asked.push({ id, key: request.headers.authorization, method: request.method })
    const answer = server.all ?? server.about.get(id) ?? answers({ success: false }, 404)
    answer(response, request)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return Object.assign(server, {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`,
    close: () =>
      new Promise<void>((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  })
}
