import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Fault,
  methodOf,
  type ProxiedRequest,
  pathOf,
  type Reply,
} from '../../test/support/proxy/index.ts'
import { answerOf, LATENCY_MS, type SimulatedPost } from './simulator.ts'

/** WordPress sites on one port, told apart by the address that is asked. */
export interface Crowd {
  firstRequest: Promise<void>
  /** Address of a site, without a slash at the end. */
  url(index: number): string
  /** Posts that got their content. */
  filled(): number
  /** What a site holds; nothing where posts are not kept. */
  posts(index: number): SimulatedPost[]
  close(): void
}

interface CrowdOptions {
  /** What befalls a request to a site; undefined for nothing. */
  faultOf?: (site: number, request: ProxiedRequest) => Fault | undefined
  /** Whether posts stay once they have their content. */
  keep?: boolean
}

export async function startCrowd({ faultOf, keep = false }: CrowdOptions = {}): Promise<Crowd> {
  const posts = new Map<number, Map<number, SimulatedPost>>()
  let filled = 0
  let asked = () => {}
  const firstRequest = new Promise<void>((resolve) => {
    asked = resolve
  })
  const forward = async (site: number, { method, url, body }: ProxiedRequest): Promise<Reply> => {
    await sleep(LATENCY_MS.least + Math.random() * (LATENCY_MS.most - LATENCY_MS.least))
    const ofSite = posts.get(site) ?? new Map<number, SimulatedPost>()
    posts.set(site, ofSite)
    const text = body.toString('utf8')
    const given = answerOf(method, url, text.startsWith('{') ? JSON.parse(text) : {}, ofSite)
    filled += given.filled?.length ?? 0
    if (given.filled !== undefined && !keep) posts.delete(site)
    return {
      status: given.status,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(given.json)),
    }
  }
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    asked()
    const { url = '/', headers, socket } = incoming
    const site = indexOf(socket.localAddress ?? '')
    const body = await buffer(incoming)
    const request = { method: methodOf(incoming), path: pathOf(url), url, headers, body }
    const reply = ({ status, headers: own, body: text }: Reply) => {
      response.writeHead(status, own).end(text)
    }
    const fault = faultOf?.(site, request)
    if (fault === undefined) return reply(await forward(site, request))
    await fault.apply({
      request,
      forward: (changes) => forward(site, { ...request, ...changes }),
      reply,
      cut: (answer, bytes) => {
        response.writeHead(answer.status, answer.headers)
        response.write(answer.body.subarray(0, bytes), () => response.destroy())
      },
      reset: () => socket.resetAndDestroy(),
    })
  }
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: Error) => response.destroy(error))
  })
  server.listen({ port: 0, host: '0.0.0.0', backlog: 4_096 })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    firstRequest,
    url: (index) => `http://${addressOf(index)}:${port}`,
    filled: () => filled,
    posts: (index) => [...(posts.get(index)?.values() ?? [])],
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** One of the addresses of Linux's loopback, 127.1.0.0 and what follows. */
const addressOf = (index: number): string => `127.${(index >> 16) + 1}.${(index >> 8) & 0xff}.${index & 0xff}`

function indexOf(address: string): number {
  const [, high = 1, middle = 0, low = 0] = address.split('.').map(Number)
  return ((high - 1) << 16) | (middle << 8) | low
}
