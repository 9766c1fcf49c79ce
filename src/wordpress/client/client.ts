import { randomUUID } from 'node:crypto'
import type { APIFetchMiddleware, APIFetchOptions, FetchHandler } from '@wordpress/api-fetch'
import * as module from '@wordpress/api-fetch'
import type { z } from 'zod'
import { GalleyError } from '../../errors.ts'
import { type SiteRequestKind, timeSiteRequest } from '../../observe/metrics.ts'
import { withSpan } from '../../observe/trace.ts'
import type { Outbound, OutboundRequest } from '../../outbound/outbound.ts'
import { classifyFailure, wordPressFailure } from '../failures/classify.ts'
import { parseRestError, sentErrorMessage } from '../failures/rest-errors.ts'
import type { FailureContext, RawAnswer, RequestSubject } from '../failures/types.ts'
import type { SiteConnection } from '../types.ts'
import { extractJson, type JsonResult, MAX_ANSWER_BYTES } from './json.ts'
import type { Multipart } from './multipart.ts'
import { redactCredentials, redactResponse } from './redact.ts'

/** Answers whatever came. Redirects are never followed: they would go without the credentials. */
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

function encodeBody(
  { data }: APIFetchOptions,
  form: Multipart | undefined,
): Pick<OutboundRequest, 'headers' | 'body'> {
  if (form !== undefined) {
    const headers = { 'Content-Type': form.contentType, 'Content-Length': String(form.length) }
    return { headers, body: form }
  }
  if (data === undefined) return {}
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(data) }
}

/** What our middleware and handler need to know of a request; api-fetch passes unknown options through. */
interface RequestContext {
  site: SiteConnection
  outbound: Outbound
  timeoutMs: number
  maxBytes: number
  /** Asked when a connection stands and nothing has left yet; what it throws ends the request. */
  beforeSend: () => void
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
  const [address = '', ...query] = url.split('?')
  const own = query
    .join('?')
    .split('&')
    .filter((part) => part !== '' && part !== '_locale=user')
  return `${address}?${[...own, `galley_request=${randomUUID()}`].join('&')}`
}

/** The address without what {@link addCacheBuster} has added, as redirects repeat it. */
export const removeCacheBuster = (url: string): string =>
  url.replace(CACHE_BUSTER, '$1').replace(/[?&](?=#|$)/, '')

/** Methods that servers refuse; WordPress takes the one in the query. ModSecurity refuses `X-HTTP-Method-Override`. */
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
    ...(path !== undefined && { url: routeUrl(site.restRoot, path, query) }),
    headers: { ...options.headers, Authorization: `Basic ${credentials}` },
  })
}

/** The address of a route under `…/wp-json/` or `…/?rest_route=/`, where the query goes on with `&`. */
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
      data,
      galley: {
        site,
        // The words of posts, files and terms stay as they are: a password may be one of them.
        outbound: subject === 'site' || subject === 'user' ? guarded : outbound,
        timeoutMs: request.timeoutMs ?? timeouts[requestKind(request)],
        maxBytes: request.maxBytes ?? MAX_ANSWER_BYTES[subject],
        form,
        beforeSend,
      },
    }
    const kind = path === '/batch/v1' && method === 'POST' ? 'batch' : requestKind(request)
    return timeSiteRequest(kind, () => apiFetch<UnclassifiedAnswer>(options))
  }
  const judged: PreparedRequest['judge'] = (answered, { method = 'GET', doing, subject, data }) =>
    requireSuccess(answered, { site: site.name, method, doing, subject, data }, site)
  return {
    site,
    outbound: guarded,
    traffic,
    request: (request) =>
      withSpan(spanName(request), { kind: 'client', facts: { 'server.address': siteHost(site) } }, () =>
        traffic.send({ site, request, beforeSend: mayLeave, holds, unjudged, judge: judged }),
      ),
    with: (others) => createClient(site, outbound, { ...options, ...others }),
  }
}

function requestKind({ method, form }: WordPressRequest): Exclude<SiteRequestKind, 'batch'> {
  if (form) return 'upload'
  return method === 'POST' || method === 'DELETE' ? 'write' : 'read'
}

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

function requireSuccess(answered: UnclassifiedAnswer, context: FailureContext, credentials: SiteConnection) {
  const { status, headers, json } = answered
  const isSuccess = status >= 200 && status <= 299
  if (isSuccess && json.found && !isErrorInDisguise(json.value)) return { status, headers, data: json.value }
  const quotable = redactResponse(answered, credentials)
  const told = extractJson(quotable.body)
  throw classifyFailure(quotable, told.found ? told.value : undefined, context)
}

/** Some caches and plugins answer errors with a 200; what Galley asks for has no code and message. */
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
  const result = schema.safeParse(answer.data)
  if (result.success) return { value: result.data, answer }
  const found = result.error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.') || 'the answer'}: ${message}`)
    .join('; ')
  const { method = 'GET', doing } = request
  throw wordPressFailure('answer_unexpected', { site: client.site.name, method, doing }, { found })
}

/** Sends a request by itself. @throws its failure */
export const exchangeOnce = async ({
  request,
  beforeSend,
  unjudged,
  judge,
}: PreparedRequest): Promise<Answer> => judge(await unjudged(request, beforeSend), request)

/** Every request at once and by itself; nothing is remembered, and every failure believed. */
export const directTraffic: Traffic = {
  send: exchangeOnce,
  async gather(_, item, many) {
    const [found] = await many([item])
    return found as Awaited<ReturnType<typeof many>>[number]
  },
  remember: (_, learn) => learn(),
  recall: () => undefined,
  forget: () => undefined,
  again: async () => false,
  isOfOne: () => true,
  persists: () => true,
  watch: () => () => null,
  paused: () => undefined,
}

export type Query = Record<string, string | number | boolean | undefined>

export interface WordPressRequest {
  method?: 'GET' | 'POST' | 'DELETE' | 'OPTIONS'
  /** Below the REST root, beginning with `/`: `/wp/v2/posts`. */
  path: string
  query?: Query
  data?: unknown
  form?: Multipart
  /** For the sentence of a failure, as in “while …”: `creating the post`. */
  doing: string
  /** What it is about; decides what an ambiguous WordPress code means. */
  subject: RequestSubject
  /** Milliseconds for the whole exchange; by kind of request unless given. */
  timeoutMs?: number
  /** Bytes of the largest answer; by its subject unless given. */
  maxBytes?: number
  /** Sent twice it changes nothing the second time, so it may be sent again after a failure. Every read is such a one. */
  repeatable?: boolean
}

export interface Answer {
  status: number
  /** Lower-case names. */
  headers: Record<string, string>
  /** Parsed JSON, not yet checked; each room reads it with its own schema. */
  data: unknown
}

export interface UnclassifiedAnswer extends RawAnswer {
  json: JsonResult
}

export interface PreparedRequest {
  site: SiteConnection
  request: WordPressRequest
  /** Asked at the last moment before it leaves; what it throws is thrown instead of sending it. */
  beforeSend: () => void
  /** See `ClientOptions`. */
  holds?: (() => boolean) | undefined
  /** One exchange, of this request or one in its place, whatever is answered; only what brings no answer at all is thrown. */
  unjudged: (request: WordPressRequest, beforeSend: () => void) => Promise<UnclassifiedAnswer>
  /** What an answer to this request means; what is no success is thrown as its failure. */
  judge: (answered: UnclassifiedAnswer, request: WordPressRequest) => Answer
}

/** How the requests of one site go out, and what this process knows of the site for a while. */
export interface Traffic {
  send(outgoing: PreparedRequest): Promise<Answer>
  /** Asks for an item together with all of the same name and moment. @param many answers in their order */
  gather<Item, Found>(
    name: string,
    item: Item,
    many: (items: readonly Item[]) => Promise<readonly Found[]>,
  ): Promise<Found>
  /**
   * What `learn` found under this key a while ago, or finds now; whoever asks meanwhile waits for the same.
   * @param suffices false where it lacks what is looked for: it is learned anew unless that was done a moment ago
   */
  remember<Value>(
    key: string,
    learn: () => Promise<Value>,
    suffices?: (known: Value) => boolean,
  ): Promise<Value>
  /** What is remembered under this key, if anything. */
  recall<Value>(key: string): Value | undefined
  forget(prefix: string): void
  /** Whether to look for what an unrepeatable request left and try again; false to believe the failure. @param tries from 1 */
  again(error: unknown, tries: number): Promise<boolean>
  /** Whether a failure is of the request alone: one that failed in a batch may have suffered for another. */
  isOfOne(error: unknown): boolean
  /** Whether failures of the site persist, so that it is to be left alone. False after a hiccup. */
  persists(): boolean
  /** For a delivery claimed now: asked before a request leaves, tells the persisting failure whose pause is not stored yet, or null. */
  watch(): () => GalleyError | null
  /** The site's pause because of what failed is stored. */
  paused(): void
}

/** Speaks to one site as one user. Every failure is a `GalleyError` of the failures' catalogue. */
export interface WordPressClient {
  readonly site: SiteConnection
  /** The guard it speaks through, for what is not a route of the REST API. */
  readonly outbound: Outbound
  /** How its requests go out, and what is known of the site in this process. */
  readonly traffic: Traffic
  request(request: WordPressRequest): Promise<Answer>
  with(options: ClientOptions): WordPressClient
}

export interface ClientOptions {
  /** Milliseconds for a whole exchange, by kind. Defaults: 30,000, 60,000 and 180,000. */
  timeoutsMs?: { read?: number; write?: number; upload?: number } | undefined
  /** Default: every request at once and by itself. */
  traffic?: Traffic
  /** Asked at the last moment before each request leaves; what it throws is thrown instead of sending it. */
  beforeSend?: () => void
  /** Whether what its requests are decided by still stands; where not, none is sent. These go before those that wait. */
  holds?: (() => boolean) | undefined
}

/** An answer must fit its request: caches give away those of others. @param found in words @throws `answer_of_another` */
export function assertAnswerMatchesRequest(
  client: WordPressClient,
  { method = 'GET', doing }: Pick<WordPressRequest, 'method' | 'doing'>,
  fits: boolean,
  found: string,
): void {
  if (!fits) throw wordPressFailure('answer_of_another', { site: client.site.name, method, doing }, { found })
}
