import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { methodOf } from '../../support/proxy/index.ts'
import { type SimulatedWordPress, type SiteAnswer, type SiteRequest, simulateWordPress } from './wordpress.ts'

/** Answers a request in place of the site, or gives the answer back, changed or not, to be sent. */
export type Way = (exchange: Exchange) => SiteAnswer | null | Promise<SiteAnswer | null>

/** A request that a way may answer. */
export interface Exchange {
  request: SiteRequest
  response: ServerResponse
  /** What an honest site says. */
  honest: SiteAnswer
  site: HostedSite
}

/** One of the simulated sites, in a folder of its own, and what it does to whoever asks. */
export interface HostedSite {
  url: string
  wordpress: SimulatedWordPress
  /** Decides how each request is answered; honestly where it says nothing. */
  way: ((key: string) => Way | undefined) | null
  /** What was asked since the site was made, in order. */
  asked: string[]
  /** Every `Authorization` that arrived. */
  credentials: Set<string>
}

/** A web server with any number of simulated WordPress sites, each in a folder. */
export interface SiteServer {
  port: number
  add(): HostedSite
  close(): Promise<void>
}

export async function startSiteServer(): Promise<SiteServer> {
  const sites = new Map<string, HostedSite>()
  const server = createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
    serve(sites, request, response).catch((error: Error) => response.destroy(error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    add() {
      const folder = `s${sites.size}`
      const url = `http://127.0.0.1:${port}/${folder}`
      // Long and of no other site, so that it is found wherever it stands, and read by WordPress as one of its own.
      const password = `pw${String(port)}x${folder}`.padEnd(24, 'q7Zk')
      const wordpress = simulateWordPress(url, `editor-${folder}`, password)
      const site = { url, wordpress, way: null, asked: [], credentials: new Set<string>() }
      sites.set(folder, site)
      return site
    },
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function serve(
  sites: Map<string, HostedSite>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.on('error', () => undefined)
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const url = new URL(request.url ?? '/', 'http://site')
  const [, folder = '', path = '/'] = /^\/([^/]+)(\/.*)?$/.exec(url.pathname) ?? []
  const site = sites.get(folder)
  if (site === undefined) {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<title>Nothing here</title>')
    return
  }
  const read: SiteRequest = {
    method: methodOf(request),
    path,
    query: url.searchParams,
    authorization: request.headers.authorization,
    contentType: request.headers['content-type'] ?? '',
    body: Buffer.concat(chunks),
  }
  if (read.authorization !== undefined) site.credentials.add(read.authorization)
  const key = site.wordpress.keyOf(read)
  site.asked.push(key)
  const way = site.way?.(key)
  const honest = site.wordpress.answer(read)
  const answer = way === undefined ? honest : await way({ request: read, response, honest, site })
  if (answer !== null && !response.destroyed) send(response, answer)
}

function send(response: ServerResponse, { status, headers, json, text }: SiteAnswer): void {
  const body = text ?? JSON.stringify(json)
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
