import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { membersOf } from './faults.ts'
import type {
  Exchange,
  Fault,
  FaultProxy,
  FaultProxyOptions,
  LoggedRequest,
  Match,
  ProxiedRequest,
  Reply,
} from './types.ts'

/** Stands in front of a real WordPress and breaks the requests that its rules name, on loopback. */
export async function startFaultProxy(
  target: string,
  { rewriteUrls: rewriting = false }: FaultProxyOptions = {},
): Promise<FaultProxy> {
  const origin = new URL(target)
  const agent = new Agent({ keepAlive: true })
  const rules: Rule[] = []
  const requests: LoggedRequest[] = []
  let rewriteUrls = rewriting
  let url = ''

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request: ProxiedRequest = {
      method: methodOf(incoming),
      path: pathOf(incoming.url ?? '/'),
      url: incoming.url ?? '/',
      headers: incoming.headers,
      body: await buffer(incoming),
    }
    const fault = faultFor(rules, request)
    const logged: LoggedRequest = {
      method: request.method,
      path: request.path,
      members: membersOf(request)?.length ?? null,
      fault: fault?.name ?? null,
      status: null,
    }
    requests.push(logged)

    const exchange: Exchange = {
      request,
      async forward(changes) {
        const reply = await forwardTo(origin, agent, {
          method: incoming.method ?? 'GET',
          url: changes?.url ?? request.url,
          headers: changes?.headers ?? request.headers,
          body: changes?.body ?? request.body,
        })
        return rewriteUrls ? rewriteOrigin(reply, origin.origin, url) : reply
      },
      reply({ status, headers, body }) {
        logged.status = status
        response.writeHead(status, { ...headers, 'content-length': body.length })
        response.end(request.method === 'HEAD' ? undefined : body)
      },
      cut({ status, headers, body }, bytes) {
        response.writeHead(status, { ...headers, 'content-length': body.length })
        response.write(body.subarray(0, bytes), () => response.destroy())
      },
      reset: () => incoming.socket.resetAndDestroy(),
    }
    if (fault) await fault.apply(exchange)
    else exchange.reply(await exchange.forward())
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: Error) => {
      // The client or WordPress went away in the middle; whoever is left sees a cut connection.
      response.destroy(error)
    })
  })
  await listenOn(server, 0)
  const { port } = server.address() as AddressInfo
  url = `http://127.0.0.1:${port}`

  return {
    url,
    requests,
    rule: (match, fault) => rules.push({ match, fault, seen: 0 }),
    clear: () => rules.splice(0),
    keepUrls() {
      rewriteUrls = false
    },
    pause: () => stop(server),
    resume: () => listenOn(server, port),
    async close() {
      agent.destroy()
      if (server.listening) await stop(server)
    },
  } satisfies FaultProxy
}

const listenOn = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })

const stop = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeAllConnections()
  })

interface Forwarded {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Headers that belong to one connection and are made anew for the next. */
const PER_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host'])

/** Carries a request out at the target and reads the whole answer. */
export function forwardTo(
  target: URL,
  agent: Agent,
  { method, url, headers, body }: Forwarded,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: target.hostname,
        port: target.port,
        path: url,
        method,
        agent,
        headers: {
          ...withoutConnectionHeaders(headers),
          host: target.host,
          ...(body.length > 0 ? { 'content-length': body.length } : {}),
        },
      },
      (response) => {
        buffer(response).then(
          (answer) =>
            resolve({
              status: response.statusCode ?? 0,
              headers: withoutConnectionHeaders(response.headers),
              body: answer,
            }),
          reject,
        )
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

function withoutConnectionHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !PER_CONNECTION.has(name)) kept[name] = value
  }
  return kept
}

export interface Rule {
  match: Match
  fault: Fault
  /** Requests that fitted so far. */
  seen: number
}

/** The fault for a request. Every rule that fits counts it, also behind the one that is applied. */
export function faultFor(rules: Rule[], request: ProxiedRequest): Fault | undefined {
  let chosen: Fault | undefined
  for (const rule of rules) {
    if (!fits(rule.match, request)) continue
    rule.seen++
    if (rule.match.nth === undefined || rule.match.nth === rule.seen) chosen ??= rule.fault
  }
  return chosen
}

const fits = ({ method, path, where }: Match, request: ProxiedRequest): boolean =>
  (method === undefined || method === request.method) &&
  (path === undefined || (typeof path === 'string' ? path === request.path : path.test(request.path))) &&
  (where === undefined || where(request))

export const methodOf = ({ method = 'GET', url = '' }: Pick<IncomingMessage, 'method' | 'url'>): string =>
  new URL(url, 'http://proxy').searchParams.get('_method') ?? method

export function pathOf(url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://proxy')
  return searchParams.get('rest_route') ?? /\/wp-json(\/.*)$/.exec(pathname)?.[1] ?? pathname
}

/** Puts one origin for another into an answer: headers, text, and JSON with its escaped slashes. */
export function rewriteOrigin(reply: Reply, from: string, to: string): Reply {
  const replace = (text: string) =>
    text.replaceAll(from, to).replaceAll(from.replaceAll('/', '\\/'), to.replaceAll('/', '\\/'))
  const headers = Object.fromEntries(
    Object.entries(reply.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(replace) : replace(value),
    ]),
  )
  const textual = /json|text|xml/.test(String(reply.headers['content-type'] ?? ''))
  return { ...reply, headers, body: textual ? Buffer.from(replace(reply.body.toString('utf8'))) : reply.body }
}
