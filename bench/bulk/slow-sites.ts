import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** How a site answers: in some milliseconds, each request after seconds, or never. */
export type Manner = 'quick' | 'slow' | 'silent'

/** Milliseconds after which the sites of a manner answer. */
export type AnswersAfter = Record<Exclude<Manner, 'silent'>, number>

/** What connecting a site looks at, each on a port of its own. */
export async function startWordPresses(
  manners: readonly Manner[],
  after: AnswersAfter,
): Promise<{ urls: string[]; close(): void }> {
  const servers = await Promise.all(manners.map((manner) => start(manner, after)))
  return {
    urls: servers.map(addressOf),
    close() {
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
    },
  }
}

const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

async function start(manner: Manner, after: AnswersAfter): Promise<Server> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = addressOf(server)
  server.on('request', async (request, response) => {
    request.resume()
    if (manner === 'silent') return
    await sleep(after[manner])
    const { status, headers, body } = answerOf(url, new URL(request.url ?? '/', url).pathname)
    response.writeHead(status, headers).end(body)
  })
  return server
}

/** As WordPress answers who may edit posts there, and looks for no more. */
function answerOf(url: string, path: string) {
  const headers = { 'content-type': 'application/json' }
  const of = (json: object, status = 200) => ({ status, headers, body: JSON.stringify(json) })
  if (path === '/')
    return {
      status: 200,
      body: '<title>A site</title>',
      headers: { 'content-type': 'text/html', link: `<${url}/wp-json/>; rel="https://api.w.org/"` },
    }
  if (path === '/wp-json/')
    return of({
      ...{ name: 'A site', url, home: url, namespaces: ['wp/v2'] },
      authentication: {
        'application-passwords': {
          endpoints: { authorization: `${url}/wp-admin/authorize-application.php` },
        },
      },
    })
  if (path === '/wp-json/wp/v2/users/me')
    return of({ id: 1, name: 'Ed', slug: 'ed', roles: ['editor'], capabilities: { edit_posts: true } })
  if (path.endsWith('/application-passwords/introspect'))
    return of({ uuid: '6c2b6e0c-5a35-4a52-8b5a-0d5b3b1f6a51' })
  return of({ code: 'rest_no_route', message: 'No route', data: { status: 404 } }, 404)
}
