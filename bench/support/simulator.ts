import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { methodOf } from '../../test/support/proxy/index.ts'
import { seeded } from '../../test/support/random.ts'

/** WordPress answers a REST call in about this many milliseconds. */
export const LATENCY_MS = { least: 20, most: 80 }

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
  const draw = seeded(1).next
  const servers = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const posts = new Map<number, SimulatedPost>()
      return startServer(async (request, response) => {
        const body = await readJson(request)
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

async function startServer(handle: Handler): Promise<Server> {
  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => {
      if (!response.destroyed) response.destroy(error)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

/** What a simulated site keeps of a post. */
export interface SimulatedPost {
  id: number
  slug: string
  /** The document that the reserving marker named. */
  documentId: string
  fields: Record<string, unknown>
}

interface Answer {
  status: number
  json: unknown
  /** The documents whose posts got their content by this request. */
  filled?: readonly string[]
}

/** What the marker of a reserved post names: `galley-<document id>-<digest>`, or `galley-check-<id>`. */
const markedId = (slug: string): string =>
  slug.replace(/^galley-/, '').replace(/^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-[0-9a-f]{12}$/, '$1')

/** Answers the part of WordPress's REST API that a delivery without pictures uses, and a check by a user without uploads. */
export function answerOf(
  method: string,
  url: string,
  body: Record<string, unknown>,
  posts: Map<number, SimulatedPost>,
): Answer {
  if (/\/wp-json\/batch\/v1/.test(url)) return method === 'OPTIONS' ? batchRoute : batch(body, posts)
  const [, route = '', id] = /\/wp-json\/wp\/v2\/(posts|categories|tags)(?:\/(\d+))?/.exec(url) ?? []
  if (route === 'categories' || route === 'tags') return term(method, url)
  if (route === 'posts' && method === 'OPTIONS') return postRoute
  if (route === 'posts' && method === 'DELETE') return remove(Number(id), /[?&]force=true/.test(url), posts)
  if (route === 'posts' && method === 'POST')
    return id === undefined ? reserve(body, posts) : fill(Number(id), body, posts)
  if (route === 'posts' && id !== undefined) return found(posts.get(Number(id)))
  if (route === 'posts') return { status: 200, json: bySlug(url, posts).map(asRecord) }
  const path = new URL(url, 'http://site').pathname.replace(/^\/wp-json/, '')
  if (method === 'POST' && path === '/wp/v2/media') return uploadRefused
  const json = restAnswers[path]
  return json === undefined ? restError(404, 'rest_no_route', 'No route') : { status: 200, json }
}

const restError = (status: number, code: string, message: string): Answer => ({
  status,
  json: { code, message, data: { status } },
})

const uploadRefused = restError(
  403,
  'rest_cannot_create',
  'Sorry, you are not allowed to upload media on this site.',
)

/** What `OPTIONS /wp/v2/posts` says of a post. */
const postRoute: Answer = {
  status: 200,
  json: {
    schema: {
      properties: {
        ...Object.fromEntries(
          ['slug', 'title', 'content', 'excerpt', 'author', 'categories', 'tags', 'meta'].map((name) => [
            name,
            {},
          ]),
        ),
        status: { enum: ['publish', 'future', 'draft', 'pending', 'private'] },
      },
    },
  },
}

/** What does not change. */
const restAnswers: Record<string, unknown> = {
  '/': { name: 'Simulated', home: '', namespaces: ['wp/v2', 'wp-block-editor/v1'], authentication: [] },
  '/wp/v2/users/me': {
    id: 1,
    name: 'Galley',
    roles: ['contributor'],
    capabilities: { edit_posts: true, publish_posts: true, manage_categories: true },
  },
  '/wp/v2/types': {
    post: {
      slug: 'post',
      rest_base: 'posts',
      rest_namespace: 'wp/v2',
      name: 'Posts',
      supports: { editor: true },
    },
  },
}

/** What `OPTIONS /batch/v1` says that matters: how many requests it takes at once. */
const batchRoute: Answer = {
  status: 200,
  json: { endpoints: [{ methods: ['POST'], args: { requests: { type: 'array', maxItems: 25 } } }] },
}

/** One of the requests that a batch carries. */
interface Member {
  method: string
  path: string
  body?: Record<string, unknown>
}

/** Each as if it had come alone, in their order. */
function batch(body: Record<string, unknown>, posts: Map<number, SimulatedPost>): Answer {
  const answers = (body.requests as Member[]).map((member) =>
    answerOf(member.method, `/wp-json${member.path}`, member.body ?? {}, posts),
  )
  return {
    status: 207,
    json: { responses: answers.map(({ status, json }) => ({ status, headers: {}, body: json })) },
    filled: answers.flatMap(({ filled }) => filled ?? []),
  }
}

/** Every name is the name of a term. */
function term(method: string, url: string): Answer {
  const name = new URL(url, 'http://site').searchParams.get('search') ?? ''
  const json = { id: 7, name, parent: 0 }
  return method === 'GET' ? { status: 200, json: [json] } : { status: 201, json }
}

/** Of all sites: WordPress gives no id twice. */
let nextId = 1

function reserve(body: Record<string, unknown>, posts: Map<number, SimulatedPost>): Answer {
  const slug = String(body.slug)
  const id = nextId++
  const post = { id, slug, documentId: markedId(slug), fields: body }
  posts.set(id, post)
  return { status: 201, json: asRecord(post) }
}

function fill(id: number, body: Record<string, unknown>, posts: Map<number, SimulatedPost>): Answer {
  const post = posts.get(id)
  if (post === undefined) return found(post)
  Object.assign(post.fields, body)
  post.slug = String(body.slug || post.slug)
  return { ...found(post), ...('content' in body && { filled: [post.documentId] }) }
}

const bySlug = (url: string, posts: Map<number, SimulatedPost>): SimulatedPost[] => {
  const wanted = new URL(url, 'http://site').searchParams.get('slug')?.split(',') ?? []
  return [...posts.values()].filter(({ slug }) => wanted.includes(slug))
}

function remove(id: number, force: boolean, posts: Map<number, SimulatedPost>): Answer {
  const post = posts.get(id)
  const answer = found(post)
  if (post === undefined || force) {
    posts.delete(id)
    return answer
  }
  if (post.fields.status === 'trash') return restError(410, 'rest_already_trashed', 'Already in the trash.')
  post.fields.status = 'trash'
  return found(post)
}

const found = (post: SimulatedPost | undefined): Answer =>
  post === undefined
    ? restError(404, 'rest_post_invalid_id', 'Invalid post ID.')
    : { status: 200, json: asRecord(post) }

/** A post as `context=edit` shows it. */
function asRecord({ id, slug, fields }: SimulatedPost): Record<string, unknown> {
  const raw = (name: string) => ({ raw: fields[name] ?? '' })
  return {
    id,
    slug,
    status: fields.status ?? 'draft',
    link: `http://site/?p=${id}`,
    modified_gmt: '2026-01-01T00:00:00',
    author: 1,
    title: raw('title'),
    content: raw('content'),
    excerpt: raw('excerpt'),
    categories: fields.categories ?? [],
    tags: fields.tags ?? [],
    featured_media: 0,
    meta: {},
    _links: Object.fromEntries(ACTIONS.map((action) => [`wp:action-${action}`, []])),
  }
}

const ACTIONS = ['publish', 'create-categories', 'create-tags']
