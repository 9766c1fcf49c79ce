import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { membersOf } from './batch.ts'
import { forward } from './forward.ts'
import { faultFor, methodOf, pathOf, type Rule } from './match.ts'
import { rewriteOrigin } from './rewrite.ts'
import type { Exchange, FaultProxy, FaultProxyOptions, LoggedRequest, ProxiedRequest } from './types.ts'

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
        const reply = await forward(origin, agent, {
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
  await listen(server, 0)
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
    resume: () => listen(server, port),
    async close() {
      agent.destroy()
      if (server.listening) await stop(server)
    },
  } satisfies FaultProxy
}

const listen = (server: Server, port: number): Promise<void> =>
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
