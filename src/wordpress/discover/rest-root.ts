import { z } from 'zod'
import { asFailure, GalleyError, recoverWith } from '../../errors.ts'
import type { Outbound, OutboundResponse } from '../../outbound/outbound.ts'
import {
  addCacheBuster,
  createClient,
  NO_CACHE_HEADERS,
  removeCacheBuster,
  requestParsed,
  type WordPressClient,
} from '../client/client.ts'
import { extractJson, MAX_INDEX_BYTES } from '../client/json.ts'
import { classifyFailure, wordPressFailure } from '../failures/classify.ts'
import { parseRestError } from '../failures/rest-errors.ts'
import type { RawAnswer } from '../failures/types.ts'
import { isHttpUrl, labelSchema, webUrlSchema } from '../fields.ts'
import { findTags } from '../html.ts'
import type { SiteCredentials } from '../types.ts'

/** That they are on is one thing, where to approve one another. */
const authenticationSchema = z.object({
  'application-passwords': z
    .object({ endpoints: z.object({ authorization: webUrlSchema.optional().catch(undefined) }).catch({}) })
    .optional(),
})

/** The REST API's index. A WordPress names its `wp/v2` namespace there, whatever else it hides. */
const restIndexSchema = z.object({
  name: labelSchema().catch(''),
  home: webUrlSchema.or(z.literal('')).catch(''),
  /** Where WordPress itself lies, which may be a folder of its own below `home`. */
  url: webUrlSchema.or(z.literal('')).catch(''),
  namespaces: z
    .array(z.unknown())
    .transform((names) => names.slice(0, 5000).filter((name) => typeof name === 'string'))
    .default([]),
  authentication: z
    .union([authenticationSchema, z.tuple([])])
    .transform((schemes): z.output<typeof authenticationSchema> => (Array.isArray(schemes) ? {} : schemes))
    .default({}),
})

export type RestIndex = z.output<typeof restIndexSchema>

/** The index as the user sees it, which plugins may hide from visitors; `null` where it is shown to nobody. */
export const fetchRestIndex = (client: WordPressClient): Promise<RestIndex | null> =>
  requestParsed(client, restIndexSchema, { path: '/', doing: 'reading its index', subject: 'site' }).then(
    ({ value }) => value,
    recoverWith(null),
  )

export function parseRestIndex(body: Buffer): RestIndex | null {
  const json = extractJson(body)
  const index = restIndexSchema.safeParse(json.found ? json.value : undefined)
  return index.success && index.data.namespaces.includes('wp/v2') ? index.data : null
}

/** What WordPress reports of itself in the words of its REST API, when it is down for everybody. */
const OUTAGE_CODES: ReadonlySet<string> = new Set(['wp_die', 'internal_server_error', 'db_connect_fail'])

const CLASSIFY_CONTEXT = { site: '', method: 'GET', doing: 'reading its index', subject: 'site' } as const

/** Whether a REST API is closed to visitors alone: it reports an error in its own way, with 401, 403, 500 or 503. */
export function isClosedToVisitors(answer: RawAnswer): boolean {
  const { status } = answer
  if (![401, 403, 500, 503].includes(status)) return false
  const json = extractJson(answer.body)
  const error = json.found ? parseRestError(json.value) : undefined
  if (error === undefined) return false
  if (status < 500 || !OUTAGE_CODES.has(error.code)) return true
  return classifyFailure(answer, error, CLASSIFY_CONTEXT).code === 'visitors_refused'
}

const REST_RELATION = 'https://api.w.org/'

/** The REST root that a page of the site names, in its `Link` header or, where a cache lost that, in its head. */
export function restRootFromPage({ headers, body, url }: OutboundResponse): string | undefined {
  const named = restRootFromLinkHeader(headers.link) ?? restRootFromHtml(body.toString('utf8'))
  if (named === undefined || !URL.canParse(named, url)) return undefined
  const root = new URL(named, url)
  if (!isHttpUrl(root.href)) return undefined
  const page = new URL(url)
  // Behind a proxy that ends TLS, WordPress often believes that it is reached by http.
  if (page.protocol === 'https:' && root.hostname === page.hostname) root.protocol = 'https:'
  return root.href
}

/** `<https://example.com/wp-json/>; rel="https://api.w.org/"`, among others; RFC 8288. */
function restRootFromLinkHeader(link: string | undefined): string | undefined {
  for (const entry of (link ?? '').split('<')) {
    const end = entry.indexOf('>')
    if (end !== -1 && entry.includes(REST_RELATION, end)) return entry.slice(0, end)
  }
  return undefined
}

function restRootFromHtml(html: string): string | undefined {
  const tag = findTags(html, ['link']).find(({ attributes }) =>
    attributes.get('rel')?.includes(REST_RELATION),
  )
  return tag?.attributes.get('href') || undefined
}

export interface LocatedRestRoot {
  restRoot: string
  /** Absent where the site shows its REST API to logged-in users alone. */
  index?: RestIndex
}

/**
 * The REST root at an address, after redirects; the failure of an answer that refuses, `null` where something else is there.
 * @param named a page of WordPress names this root, so that an answer of any other kind is a failure too
 */
export async function probeRestRoot(
  outbound: Outbound,
  address: string,
  named: boolean,
): Promise<LocatedRestRoot | GalleyError | null> {
  const tried = await fetchRestRoot(outbound, address, named)
  if (tried instanceof GalleyError || tried?.named === undefined || tried.named === tried.restRoot)
    return tried
  const better = await fetchRestRoot(outbound, tried.named, false).catch(asFailure)
  return better instanceof GalleyError ? tried : (better ?? tried)
}

async function fetchRestRoot(outbound: Outbound, address: string, named: boolean) {
  const answer = await requestIndex(outbound, address, 'follow').catch(
    recoverWith(null, ({ code }) => code === 'too_many_redirects'),
  )
  if (answer === null) return null
  const { url, status, body } = answer
  const restRoot = trimToRestRoot(url)
  const index = status === 200 ? parseRestIndex(body) : null
  if (index) return { restRoot, index, named: restRootFromPage(answer) }
  return isClosedToVisitors(answer) ? { restRoot } : refusalIn(answer, new URL(address).host, named)
}

/** What an answer in the place of the REST API says against it; `null` where it only is of something else. */
function refusalIn(answer: OutboundResponse, site: string, named: boolean): GalleyError | null {
  const { status, body } = answer
  if (status === 404 || status === 410) return null
  const json = extractJson(body)
  const context = { ...CLASSIFY_CONTEXT, site, doing: 'reading the index of its REST API' }
  if (json.found && status === 200 && parseRestError(json.value) === undefined) {
    const found = 'there is no index of a REST API in it'
    return named ? wordPressFailure('answer_unexpected', context, { found }) : null
  }
  const failure = classifyFailure(answer, json.found ? json.value : undefined, context)
  // WordPress's own login, to which a plugin leads visitors: whoever signs in may be let through.
  if (failure.code === 'login_wall' && status !== 401) return null
  return named || failure.code !== 'answer_unreadable' ? failure : null
}

/** Where redirects end may carry more than the root, as a language does: routes would come to stand behind that. */
function trimToRestRoot(url: string): string {
  const root = new URL(removeCacheBuster(url))
  root.search = root.searchParams.has('rest_route') ? '?rest_route=/' : ''
  return root.href.endsWith('/') ? root.href : `${root.href}/`
}

/** The REST root at an address, as whoever signs in sees it; `null` where there is none for them either. */
export async function probeRestRootSignedIn(
  outbound: Outbound,
  restRoot: string,
  credentials: SiteCredentials,
): Promise<LocatedRestRoot | null> {
  const index = await fetchRestIndex(
    createClient({ name: new URL(restRoot).host, restRoot, ...credentials }, outbound),
  )
  return index?.namespaces.includes('wp/v2') ? { restRoot, index } : null
}

const TIMEOUT_MS = 15_000

export const requestIndex = (
  outbound: Outbound,
  restRoot: string,
  redirects: 'none' | 'follow',
): Promise<OutboundResponse> =>
  outbound.request(addCacheBuster(restRoot), {
    headers: { Accept: 'application/json', ...NO_CACHE_HEADERS },
    redirects,
    maxBytes: MAX_INDEX_BYTES,
    timeoutMs: TIMEOUT_MS,
  })

/** A page as visitors see it, up to all that is looked for in its head. */
export const requestPage = (outbound: Outbound, url: string | URL): Promise<OutboundResponse> =>
  outbound.request(url, {
    headers: NO_CACHE_HEADERS,
    redirects: 'follow',
    maxBytes: 512 * 1024,
    overflow: 'cut',
    timeoutMs: TIMEOUT_MS,
  })
