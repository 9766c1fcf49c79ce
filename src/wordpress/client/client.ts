import { randomUUID } from 'node:crypto'
import type { APIFetchMiddleware, APIFetchOptions, FetchHandler } from '@wordpress/api-fetch'
import * as module from '@wordpress/api-fetch'
import type { z } from 'zod'
import { GalleyError } from '../../errors.ts'
import { type SiteRequestKind, timeSiteRequest } from '../../observe/metrics.ts'
import { withSpan } from '../../observe/trace.ts'
import type { Outbound } from '../../outbound/index.ts'
import {
  classifyFailure,
  type FailureContext,
  parseRestError,
  sentErrorMessage,
  wordPressFailure,
} from '../failures/index.ts'
import type { SiteConnection } from '../types.ts'
import { extractJson, MAX_ANSWER_BYTES } from './json.ts'
import type { Multipart } from './multipart.ts'
import { redactCredentials } from './redact.ts'
import type {
  Answer,
  ClientOptions,
  PreparedRequest,
  Query,
  Traffic,
  UnclassifiedAnswer,
  WordPressClient,
  WordPressRequest,
} from './types.ts'

/**
 * Makes the request through the outbound guard, and answers what came: what it means is judged by `judge`. Redirects are
 * never followed: they would go without the credentials.
 */
const outboundHandler: FetchHandler = async (options): Promise<UnclassifiedAnswer> => {
  const { outbound, timeoutMs, maxBytes, form, beforeSend } = contextOf(options)
  const { headers, body } = encodeBody(options, form)
  const response = await outbound.request(addCacheBuster(options.url ?? ''), {
    method: options.method ?? 'GET',
    headers: { Accept: 'application/json, */*;q=0.1', ...NO_CACHE_HEADERS, ...options.headers, ...headers },
    body,
    timeoutMs,
    maxBytes,
    redirects: 'none',
    beforeSend,
  })
  return { ...response, json: extractJson(response.body) }
}

interface EncodedBody {
  headers: Record<string, string>
  body: Iterable<Buffer> | string | null
}

function encodeBody({ data }: APIFetchOptions, form: Multipart | undefined): EncodedBody {
  if (form !== undefined) {
    const headers = { 'Content-Type': form.contentType, 'Content-Length': String(form.length) }
    return { headers, body: form }
  }
  if (data === undefined) return { headers: {}, body: null }
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(data) }
}

/** What our middleware and handler need to know of a request; api-fetch passes unknown options through. */
interface RequestContext {
  site: SiteConnection
  outbound: Outbound
  timeoutMs: number
  /** Of the answer. */
  maxBytes: number
  /** Asked when a connection stands and nothing has left yet; what it throws ends the request. */
  beforeSend: () => void
  /** The body, where it is not JSON. */
  form: Multipart | undefined
}

type ContextualOptions = APIFetchOptions<true> & { galley: RequestContext }

function contextOf(options: APIFetchOptions): RequestContext {
  if (!('galley' in options)) throw new TypeError('api-fetch was called without a site')
  return (options as unknown as ContextualOptions).galley
}

/** What a cache on the way is told: WP Super Cache, Varnish and CDNs go by it. */
export const NO_CACHE_HEADERS = { 'Cache-Control': 'no-cache, no-store' }

const CACHE_BUSTER = /([?&])galley_request=[^&#]*(?:&|(?=#|$))/

/**
 * The address as it is sent. A parameter that never repeats keeps apart what a plugin caches by address, answers to
 * POST among it (seen: WP REST API Cache 1.2.0). `_locale=user`, which api-fetch adds, is taken off again: it belongs to
 * the block editor, and plugins that require something of remote posts let requests with it pass.
 */
export function addCacheBuster(url: string): string {
  const [address = '', query] = splitFragment(url)
  const own = query === undefined ? [] : query.split('&').filter((part) => part !== '_locale=user')
  return `${address}?${[...own, `galley_request=${randomUUID()}`].join('&')}`
}

/** The address without what {@link addCacheBuster} has added, as redirects repeat it. */
export const removeCacheBuster = (url: string): string =>
  url.replace(CACHE_BUSTER, '$1').replace(/[?&](?=#|$)/, '')

function splitFragment(url: string): [string, string | undefined] {
  const mark = url.indexOf('?')
  return mark === -1 ? [url, undefined] : [url.slice(0, mark), url.slice(mark + 1)]
}

/**
 * Methods that servers refuse, or answer themselves, as they are sent instead: WordPress takes the one that is meant from
 * the query. In a header, as api-fetch has it (`X-HTTP-Method-Override`), the core rules of ModSecurity refuse it.
 */
const SENT_AS: Readonly<Record<string, string>> = { DELETE: 'POST', OPTIONS: 'GET' }

/** Adds the site's REST root and credentials. Stateless: api-fetch's middlewares are global. */
const siteMiddleware: APIFetchMiddleware = (options, next) => {
  const { site } = contextOf(options)
  const { path, method: meant = 'GET', ...rest } = options
  const method = SENT_AS[meant] ?? meant
  const query = method === meant ? {} : { _method: meant }
  const credentials = Buffer.from(`${site.username}:${site.applicationPassword}`).toString('base64')
  return next({
    ...rest,
    method,
    ...(path === undefined ? {} : { url: routeUrl(site.restRoot, path, query) }),
    headers: { ...options.headers, Authorization: `Basic ${credentials}` },
  })
}

/**
 * The address of a route under a REST root of either kind: `…/wp-json/` takes a path, `…/?rest_route=/`
 * has its question mark already, so the query goes on with `&`.
 */
export function routeUrl(restRoot: string, path: string, query: Query = {}): string {
  const [route = '', ownQuery] = path.replace(/^\//, '').split('?', 2)
  const parameters = new URLSearchParams(ownQuery)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  const url = restRoot + route
  if (parameters.size === 0) return url
  return `${url}${restRoot.includes('?') ? '&' : '?'}${parameters}`
}

/** The function. Its types describe the CommonJS build, where the default export is one level deeper. */
const apiFetch = module.default as unknown as module.ApiFetch

const TIMEOUTS_MS = { read: 30_000, write: 60_000, upload: 180_000 }

apiFetch.setFetchHandler(outboundHandler)
apiFetch.use(siteMiddleware)

/** A client for one site and one user. It holds no connection of its own: those are the outbound guard's. */
export function createClient(
  site: SiteConnection,
  outbound: Outbound,
  options: ClientOptions = {},
): WordPressClient {
  const guarded = redactCredentials(outbound, site)
  const { timeoutsMs, traffic = directTraffic, beforeSend = () => undefined, holds } = options
  const timeouts = { ...TIMEOUTS_MS, ...timeoutsMs }
  const mayLeave = () => {
    beforeSend()
    if (holds?.() === false) throw new StaleObservation()
  }
  const unjudged: PreparedRequest['unjudged'] = (request, beforeSend) => {
    const { method = 'GET', path, query, data, form, subject } = request
    const options: ContextualOptions = {
      method,
      path: routeUrl('/', path, query),
      ...(data === undefined ? {} : { data }),
      galley: {
        site,
        outbound: guarded,
        timeoutMs: request.timeoutMs ?? timeouts[requestKind(request)],
        maxBytes: request.maxBytes ?? MAX_ANSWER_BYTES[subject],
        form,
        beforeSend,
      },
    }
    const kind = path === '/batch/v1' && method === 'POST' ? 'batch' : requestKind(request)
    return timeSiteRequest(kind, () => apiFetch<UnclassifiedAnswer>(options))
  }
  const judged: PreparedRequest['judge'] = (answered, { method = 'GET', doing, subject }) =>
    requireSuccess(answered, { site: site.name, method, doing, subject })
  const exchange: PreparedRequest['exchange'] = async (request, beforeSend) =>
    judged(await unjudged(request, beforeSend), request)
  return {
    site,
    outbound: guarded,
    traffic,
    request: (request) =>
      withSpan(spanName(request), { kind: 'client', facts: { 'server.address': siteHost(site) } }, () =>
        traffic.send({ site, request, beforeSend: mayLeave, holds, exchange, unjudged, judge: judged }),
      ),
    with: (others) => createClient(site, outbound, { ...options, ...others }),
  }
}

function requestKind({ method, form }: WordPressRequest): Exclude<SiteRequestKind, 'batch'> {
  if (form) return 'upload'
  return method === 'POST' || method === 'DELETE' ? 'write' : 'read'
}

/** Its route, without what a query or an id may say. */
const spanName = ({ method = 'GET', path }: WordPressRequest): string =>
  `${method} ${path.replace(/[?#].*/, '').replace(/\/\d+/g, '/{id}')}`

const siteHost = ({ restRoot }: SiteConnection): string => new URL(restRoot).hostname

/** Why a request was not sent: what it was decided by was seen too long ago. To be seen again, and decided anew. */
class StaleObservation extends GalleyError {
  constructor() {
    super({
      code: 'outdated',
      message:
        'Galley could not send this change for a while, and the post may have been edited since. Galley checks the post again by itself.',
      fault: 'galley',
      action: 'retry',
    })
  }
}

export const isStaleObservation = (error: unknown): boolean => error instanceof StaleObservation

/** A 2xx answer with JSON in it is an `Answer`; everything else is thrown as the failure it is. */
function requireSuccess(answered: UnclassifiedAnswer, context: FailureContext): Answer {
  const { status, headers, json } = answered
  if (status < 200 || status > 299)
    throw classifyFailure(answered, json.found ? json.value : undefined, context)
  if (!json.found) throw classifyFailure(answered, undefined, context)
  if (isErrorInDisguise(json.value)) throw classifyFailure(answered, json.value, context)
  return { status, headers, data: json.value }
}

/**
 * Some caches and proxies turn WordPress's error into a 200, and some plugins report theirs so. Nothing that Galley asks for
 * has a code and a message in the place of what it is.
 */
const isErrorInDisguise = (json: unknown): boolean =>
  sentErrorMessage(json) !== undefined || (parseRestError(json) !== undefined && !hasId(json))

const hasId = (json: unknown): boolean => typeof json === 'object' && json !== null && 'id' in json

/** Makes a request and reads its answer with a schema; an answer of another shape is a failure of the site. */
export async function requestParsed<Schema extends z.ZodType>(
  client: WordPressClient,
  schema: Schema,
  request: WordPressRequest,
): Promise<{ value: z.output<Schema>; answer: Answer }> {
  const answer = await client.request(request)
  return { value: parseAnswer(client, schema, request, answer.data), answer }
}

function parseAnswer<Schema extends z.ZodType>(
  client: WordPressClient,
  schema: Schema,
  { method = 'GET', doing, subject }: WordPressRequest,
  data: unknown,
): z.output<Schema> {
  const result = schema.safeParse(data)
  if (result.success) return result.data
  const found = result.error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.') || 'the answer'}: ${message}`)
    .join('; ')
  throw wordPressFailure('answer_unexpected', { site: client.site.name, method, doing, subject }, { found })
}

/** Every request at once and by itself; nothing is remembered, and every failure believed. */
const directTraffic: Traffic = {
  send: ({ request, exchange, beforeSend }) => exchange(request, beforeSend),
  async gather(_, item, many) {
    const [found] = await many([item])
    return found as Awaited<ReturnType<typeof many>>[number]
  },
  remember: (_, learn) => learn(),
  forget: () => undefined,
  again: async () => false,
  isOfOne: () => true,
  persists: () => true,
  watch: () => () => null,
  paused: () => undefined,
}
