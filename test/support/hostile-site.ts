import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { methodOf } from './proxy/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a hostile site says has any shape
export type Json = any

/** A request as the site got it: the route below the REST root, `/wp/v2/posts/1` as `posts/1`. */
interface Received {
  method: string
  route: string
  url: string
  authorization: string | undefined
  body: string
}

/** Changes the answer that WordPress would give. */
export type Falsification = (answer: Json, request: Received) => Json | RawResponse

/** An answer that is not JSON of a 200. */
export class RawResponse {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string

  constructor(status: number, body: string, headers: Record<string, string> = {}) {
    this.status = status
    this.headers = headers
    this.body = body
  }
}

/**
 * A server with the part of WordPress's REST API that Galley uses. A test can make it answer what no real WordPress
 * answers.
 */
export interface HostileSite {
  url: string
  received: Received[]
  posts: Map<number, Json>
  /** Falsifies answers from now on, by route: `index`, `users/me`, `posts`, `posts/id`, `media`, … */
  lie(lies: Record<string, Falsification>, may?: { uploads?: boolean }): void
  close(): Promise<void>
}

const EVERYTHING = ['edit_posts', 'publish_posts', 'edit_pages', 'upload_files', 'manage_categories']

export async function startHostileSite(): Promise<HostileSite> {
  let lies: Record<string, Falsification> = {}
  const received: Received[] = []
  const posts = new Map<number, Json>()
  let last = 100
  let mayUpload = false

  const post = (id: number, fields: Json) => {
    const before = posts.get(id)
    const text = (name: string) => ({ raw: fields[name] ?? before?.[name]?.raw ?? '' })
    const made = {
      id,
      status: fields.status ?? before?.status ?? 'draft',
      slug: fields.slug ?? before?.slug ?? '',
      link: `${url}/?p=${id}`,
      modified_gmt: '2026-01-01T00:00:00',
      author: 1,
      title: text('title'),
      content: text('content'),
      excerpt: text('excerpt'),
      categories: fields.categories ?? [],
      tags: fields.tags ?? [],
      featured_media: fields.featured_media ?? 0,
      meta: [],
      _links: { 'wp:action-publish': [{}] },
    }
    posts.set(id, made)
    return made
  }

  const truth = (kind: string, { method, url: asked, body }: Received): Json => {
    const at = new URL(asked, url)
    const id = Number(/(\d+)$/.exec(at.pathname)?.[1])
    const query = at.searchParams
    switch (kind) {
      case 'page':
        return new RawResponse(200, '<title>A site</title>', {
          link: `<${url}/wp-json/>; rel="https://api.w.org/"`,
        })
      case 'index':
        return {
          name: 'A site',
          url,
          home: url,
          namespaces: ['wp/v2'],
          authentication: {
            'application-passwords': {
              endpoints: { authorization: `${url}/wp-admin/authorize-application.php` },
            },
          },
        }
      case 'users/me':
        return {
          id: 1,
          name: 'Ed',
          slug: 'ed',
          roles: ['editor'],
          capabilities: Object.fromEntries(EVERYTHING.map((right) => [right, true])),
        }
      case 'introspect':
        return { uuid: '6c2b6e0c-5a35-4a52-8b5a-0d5b3b1f6a51' }
      case 'types':
        return {
          post: {
            slug: 'post',
            rest_base: 'posts',
            rest_namespace: 'wp/v2',
            name: 'Posts',
            taxonomies: ['category', 'post_tag'],
            supports: { editor: true, excerpt: true, thumbnail: true },
          },
        }
      case 'posts':
        if (method === 'OPTIONS')
          return { schema: { properties: { title: {}, content: {}, categories: {}, tags: {} } } }
        if (method === 'GET')
          return [...posts.values()].filter(({ slug }) => query.get('slug')?.split(',').includes(slug))
        last += 1
        return post(last, JSON.parse(body))
      case 'posts/id':
        if (method === 'GET')
          return (
            posts.get(id) ??
            new RawResponse(404, '{"code":"rest_post_invalid_id","message":"Invalid post ID."}')
          )
        if (method === 'DELETE') {
          posts.delete(id)
          return { deleted: true }
        }
        return post(id, JSON.parse(body))
      case 'media':
        if (method === 'GET') return []
        // With the right to upload, the doctor would send 8 MB each time.
        if (!mayUpload)
          return new RawResponse(403, '{"code":"rest_cannot_create","message":"You may not upload files."}')
        last += 1
        return {
          id: last,
          slug: /name="slug"\r\n\r\n([^\r]*)/.exec(body)?.[1] ?? '',
          status: 'inherit',
          source_url: `${url}/${last}.png`,
          mime_type: 'image/png',
          alt_text: '',
          post: 0,
          media_details: { width: 1, height: 1, sizes: {} },
        }
      case 'terms':
        if (method === 'GET') return []
        last += 1
        return { id: last }
      case 'revoke':
        return { deleted: true }
      case 'users':
        return [{ id: 1, name: 'Ed', slug: 'ed' }]
      case 'plugins':
        return []
      default:
        return new RawResponse(404, '{"code":"rest_no_route","message":"No route."}')
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error))
  })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const got = await readRequest(request)
    received.push(got)
    const kind = kindOf(got)
    const said = truth(kind, got)
    const told = lies[kind] === undefined ? said : await lies[kind](said, got)
    const raw = told instanceof RawResponse ? told : new RawResponse(200, JSON.stringify(told))
    response.writeHead(raw.status, { 'content-type': 'application/json', ...raw.headers })
    response.end(raw.body)
  }
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    received,
    posts,
    lie(next, { uploads = false } = {}) {
      lies = next
      mayUpload = uploads
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function readRequest(request: IncomingMessage): Promise<Received> {
  const url = request.url ?? '/'
  return {
    method: methodOf(request),
    route: new URL(url, 'http://site').pathname.replace('/wp-json/', ''),
    url,
    authorization: request.headers.authorization,
    body: (await buffer(request)).subarray(0, 100_000).toString('latin1'),
  }
}

function kindOf({ route }: Received): string {
  const below = route.replace(/^wp\/v2\//, '')
  if (route.startsWith('/')) return route === '/' ? 'page' : 'nothing'
  if (route === '') return 'index'
  if (below === 'users/me' || below === 'types' || below === 'plugins' || below === 'posts') return below
  if (below === 'users') return 'users'
  if (below.endsWith('/introspect')) return 'introspect'
  if (below.includes('application-passwords')) return 'revoke'
  if (/^posts\/\d+$/.test(below)) return 'posts/id'
  if (/^media(\/|$)/.test(below)) return 'media'
  return /^(categories|tags)(\/|$)/.test(below) ? 'terms' : 'nothing'
}
