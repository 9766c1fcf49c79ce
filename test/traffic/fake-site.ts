import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { type ClientOptions, createClient, type WordPressClient } from '../../src/wordpress/client/client.ts'
import { createSiteTraffic, type SiteTraffic } from '../../src/wordpress/traffic/site-traffic.ts'
import { methodOf } from '../support/proxy/index.ts'

/** A request as the server got it. */
interface Heard {
  method: string
  /** Below the REST root, without its query. */
  path: string
  body: { requests?: Member[] } & Record<string, unknown>
}

export interface Member {
  method: string
  path: string
  body?: Record<string, unknown>
}

export interface Said {
  status: number
  body: unknown
  headers?: Record<string, string>
}

/** What the server does instead of answering as WordPress; undefined where it does answer so. */
export type Trouble = (
  heard: Heard,
) => Said | 'reset' | 'cut' | undefined | Promise<Said | 'reset' | undefined>

export interface FakeSite {
  client: WordPressClient
  traffic: SiteTraffic
  heard: Heard[]
  /** `POST /wp/v2/posts/1`, and of a batch how many: `batch of 3`. Without the question what a batch may hold. */
  went: () => string[]
  /** The most that were under way at once. */
  most: () => number
  trouble: (trouble: Trouble) => void
  /** A client of another user, or with other options, of the same traffic. */
  as: (username: string, options?: ClientOptions) => WordPressClient
}

/** Answers after long enough a time for others to come beside. */
export const slowly: Trouble = async () => {
  await new Promise((resolve) => setTimeout(resolve, 20))
  return undefined
}

interface Settings {
  concurrency?: number
  batch?: 'auto' | 'off'
  maxItems?: number
  now?: () => number
}

/** What WordPress says of a post: `POST` makes or changes it. */
const single = ({ path, body = {} }: Member): Said => {
  const [, number] = /\/(\d+)(?:\?|$)/.exec(path) ?? []
  const id = number === undefined ? made++ : Number(number)
  return { status: number === undefined ? 201 : 200, body: { id, ...body } }
}
let made = 1000

/**
 * A server that answers as WordPress does, and fails as no WordPress can be made to, for the length of a test; and a
 * client that speaks to it through traffic of its own.
 */
export async function fakeSite(settings: Settings = {}): Promise<FakeSite> {
  const { concurrency = 4, batch = 'auto', maxItems = 25, now } = settings
  const heard: Heard[] = []
  let trouble: Trouble = () => undefined
  let underWay = 0
  let most = 0
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    most = Math.max(most, ++underWay)
    response.on('close', () => {
      underWay -= 1
    })
    const one = await hear(request)
    heard.push(one)
    const said = (await trouble(one)) ?? usual(one, maxItems)
    if (said === 'reset') response.destroy()
    else if (said === 'cut') cut(response, usual(one, maxItems))
    else send(response, said)
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const outbound = createOutbound({ allowPrivate: ['127.0.0.1'], userAgent: 'Galley/0.0.0' })
  onTestFinished(async () => {
    await outbound.close()
    server.closeAllConnections()
    server.close()
  })
  const traffic = createSiteTraffic({ concurrency, batch, ...(now && { now }) })
  const restRoot = `http://127.0.0.1:${(server.address() as AddressInfo).port}/wp-json/`
  const as: FakeSite['as'] = (username, options = {}) =>
    createClient({ name: 'fake.example', restRoot, username, applicationPassword: 'a password' }, outbound, {
      traffic,
      ...options,
    })
  return {
    client: as('author'),
    traffic,
    heard,
    went: () => heard.filter(({ method }) => method !== 'OPTIONS').map(inShort),
    most: () => most,
    trouble: (next) => {
      trouble = next
    },
    as,
  }
}

function send(response: ServerResponse, { status, body, headers }: Said): void {
  const isPage = typeof body === 'string'
  response.writeHead(status, { 'content-type': isPage ? 'text/html' : 'application/json', ...headers })
  response.end(isPage ? body : JSON.stringify(body))
}

/** The first half of an answer, and then nothing. */
function cut(response: ServerResponse, { status, body }: Said): void {
  const text = JSON.stringify(body)
  response.writeHead(status, { 'content-length': text.length })
  response.write(text.slice(0, text.length / 2), () => response.destroy())
}

async function hear(request: IncomingMessage): Promise<Heard> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const text = Buffer.concat(pieces).toString()
  return {
    method: methodOf(request),
    path: new URL(request.url ?? '', 'http://fake').pathname.replace('/wp-json', ''),
    body: text === '' ? {} : JSON.parse(text),
  }
}

function usual({ method, path, body }: Heard, maxItems: number): Said {
  if (method === 'OPTIONS')
    return { status: 200, body: { endpoints: [{ args: { requests: { maxItems } } }] } }
  if (method === 'GET') return { status: 200, body: [] }
  if (path !== '/batch/v1') return single({ method, path, body })
  const responses = (body.requests ?? []).map((member) => ({ headers: [], ...single(member) }))
  return { status: 207, body: { responses } }
}

const inShort = ({ method, path, body }: Heard): string =>
  path === '/batch/v1' ? `batch of ${body.requests?.length}` : `${method} ${path}`

/** Sets the title of a post; it may be said twice. */
export const fill = (
  client: WordPressClient,
  id: number,
  {
    title = `Post ${id}`,
    repeatable = true,
    slug,
  }: { title?: string; repeatable?: boolean; slug?: string } = {},
) =>
  client.request({
    method: 'POST',
    path: `/wp/v2/posts/${id}`,
    data: { title, ...(slug !== undefined && { slug }) },
    doing: 'filling the post',
    subject: 'post',
    repeatable,
  })

/** Makes a post, which must not simply be said twice. */
export const reserve = (client: WordPressClient, slug: string) =>
  client.request({
    method: 'POST',
    path: '/wp/v2/posts',
    data: { slug },
    doing: 'reserving the post',
    subject: 'post',
  })

export const look = (client: WordPressClient, id = 1) =>
  client.request({ path: `/wp/v2/posts/${id}`, doing: 'reading the post', subject: 'post' })

/** The posts from 1 up, filled in the same moment. */
export const fillMany = (client: WordPressClient, count: number, options?: Parameters<typeof fill>[2]) =>
  Promise.allSettled(Array.from({ length: count }, (_, at) => fill(client, at + 1, options)))

/** How each ended: the id that it was answered, or the code of its failure. */
export const ends = (settled: PromiseSettledResult<{ data: unknown }>[]): (number | string)[] =>
  settled.map((one) =>
    one.status === 'fulfilled'
      ? (one.value.data as { id: number }).id
      : (one.reason as { code: string }).code,
  )

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1)
