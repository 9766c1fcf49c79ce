import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { methodOf } from '../../test/support/proxy/index.ts'
import { random } from '../support/rounds.ts'
import { answerOf, type SimulatedPost } from './wordpress.ts'

/** WordPress answers a REST call in about this many milliseconds. */
const LATENCY_MS = { least: 20, most: 80 }

/** WordPress sites that hold no more than a delivery looks at, each on a port of its own. */
export interface Sites {
  urls: string[]
  /** Lets these sites accept every request and answer none. */
  hang(indexes: readonly number[]): void
  /** Keeps all of them from answering until the function that it gives is called. */
  hold(): () => void
  close(): void
}

/** @param onFilled told of every post that got its content, with the document that its marker named */
export async function startSites(count: number, onFilled: (documentId: string) => void): Promise<Sites> {
  const hanging = new Set<number>()
  let held = Promise.resolve()
  const draw = random(1)
  const servers = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const posts = new Map<number, SimulatedPost>()
      return listen(async (request, response) => {
        const body = await read(request)
        if (hanging.has(index)) return
        await held
        await sleep(LATENCY_MS.least + draw() * (LATENCY_MS.most - LATENCY_MS.least))
        const { status, json, filled } = answerOf(methodOf(request), request.url ?? '', body, posts)
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
        for (const documentId of filled ?? []) onFilled(documentId)
      })
    }),
  )
  return {
    urls: servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    hang(indexes) {
      for (const index of indexes) hanging.add(index)
    },
    hold() {
      let release = () => {}
      held = new Promise((resolve) => {
        release = resolve
      })
      return release
    },
    close() {
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
    },
  }
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

async function listen(handle: Handler): Promise<Server> {
  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => {
      if (!response.destroyed) response.destroy(error)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

async function read(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString('utf8'))
}
