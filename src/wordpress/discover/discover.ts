import { GalleyError } from '../../errors.ts'
import type { Outbound, OutboundResponse } from '../../outbound/index.ts'
import { addCacheBuster, extractJson, MAX_INDEX_BYTES, NO_CACHE_HEADERS } from '../client/index.ts'
import {
  classifyFailure,
  parseErrorPage,
  parseRestError,
  recognisePage,
  wordPressFailure,
} from '../failures/index.ts'
import { findTags } from '../html.ts'
import { addressCandidates, mayReceiveCredentials, resolveSiteHome } from './address.ts'
import {
  type LocatedRestRoot,
  probeRestRoot,
  probeRestRootSignedIn,
  restRootFromPage,
  type SignInCredentials,
} from './rest-root.ts'

const TIMEOUT_MS = 15_000
/** All that is looked for stands in the head of a page. */
const HEAD_OF_PAGE = {
  headers: NO_CACHE_HEADERS,
  redirects: 'follow',
  maxBytes: 512 * 1024,
  overflow: 'cut',
} as const

/**
 * Finds the WordPress behind whatever was typed: a bare name, a post's address, `/wp-admin`, `/wp-json`. The
 * page itself names the REST root in its `Link` header; where it does not, the two usual places are tried in
 * every folder above it. The answer is where redirects end, since none will be followed with credentials.
 *
 * @param credentials to look with where visitors of a WordPress are shown no REST API, once, at the likeliest place of the
 *   host that was typed
 * @throws GalleyError what was found instead, or why nothing was.
 */
export async function discover(
  outbound: Outbound,
  typed: string,
  credentials?: SignInCredentials,
): Promise<DiscoveredSite> {
  let unreachable: GalleyError | undefined
  for (const candidate of addressCandidates(typed)) {
    try {
      const page = await outbound.request(candidate, { ...HEAD_OF_PAGE, timeoutMs: TIMEOUT_MS })
      const located = await locateRestRoot(outbound, page.url, restRootFromPage(page))
      if (located) return describeSite(located)
      const shown = credentials && (await discoverSignedIn(outbound, typed, page, credentials))
      if (shown) return describeSite(shown)
      throw (await restRootFailure(outbound, restRootFromPage(page))) ?? failureForPage(page)
    } catch (error) {
      if (!(error instanceof GalleyError)) throw error
      if (error.code === 'too_many_redirects') {
        // The front page of a badly proxied site; its REST API may be sound all the same.
        const located = await locateRestRoot(outbound, candidate.href)
        if (located) return describeSite(located)
      }
      if (!TRY_OTHER_SCHEME.has(error.code)) throw error
      if (await expectsHttps(outbound, candidate, error)) throw httpsExpected(candidate)
      unreachable ??= error
    }
  }
  throw unreachable
}

/**
 * Why the REST API that a page names is none: what answers in its place says more than the page, which only shows that
 * WordPress makes it. Null where the page is all there is.
 */
async function restRootFailure(outbound: Outbound, root: string | undefined): Promise<GalleyError | null> {
  if (root === undefined) return null
  const headers = { Accept: 'application/json', ...NO_CACHE_HEADERS }
  const asked = { headers, redirects: 'follow', maxBytes: MAX_INDEX_BYTES, timeoutMs: TIMEOUT_MS } as const
  const answer = await outbound.request(addCacheBuster(root), asked)
  if (answer.status === 404 || answer.status === 410) return null
  const json = extractJson(answer.body)
  const context = {
    site: new URL(root).host,
    method: 'GET',
    doing: 'reading the index of its REST API',
    subject: 'site',
  } as const
  const isAnswer = json.found && answer.status === 200 && parseRestError(json.value) === undefined
  if (isAnswer)
    return wordPressFailure('answer_unexpected', context, { found: 'there is no index of a REST API in it' })
  const refusal = classifyFailure(answer, json.found ? json.value : undefined, context)
  // WordPress's own login, to which a plugin leads visitors: whoever signs in may be let through.
  return refusal.code === 'login_wall' ? null : refusal
}

/** Whoever is no WordPress gets no credentials to see. */
async function discoverSignedIn(
  outbound: Outbound,
  typed: string,
  page: OutboundResponse,
  credentials: SignInCredentials,
): Promise<LocatedRestRoot | null> {
  const root = restRootFromPage(page) ?? (isWordPressPage(page) ? guessRestRoots(page.url)[0] : undefined)
  return root !== undefined && mayReceiveCredentials(typed, root)
    ? probeRestRootSignedIn(outbound, root, credentials)
    : null
}

/** A server of https alone closes a connection on which it is spoken to in plain http. */
async function expectsHttps(
  outbound: Outbound,
  { protocol, href }: URL,
  error: GalleyError,
): Promise<boolean> {
  if (protocol !== 'http:' || error.code !== 'connection_lost') return false
  try {
    await outbound.request(href.replace(/^http:/, 'https:'), { timeoutMs: TIMEOUT_MS })
    return true
  } catch (refused) {
    if (!(refused instanceof GalleyError)) throw refused
    // A certificate that is not to be trusted is one all the same.
    return refused.code === 'tls_failed'
  }
}

const httpsExpected = ({ host }: URL): GalleyError =>
  wordPressFailure(
    'https_expected',
    { site: host, method: 'GET', doing: 'looking for WordPress', subject: 'site' },
    {},
  )

/** What may only mean that the server does not speak https. */
const TRY_OTHER_SCHEME = new Set(['site_unreachable', 'tls_failed', 'connection_lost', 'site_timeout'])

async function locateRestRoot(
  outbound: Outbound,
  pageUrl: string,
  named?: string,
): Promise<LocatedRestRoot | null> {
  for (const root of [...(named === undefined ? [] : [named]), ...guessRestRoots(pageUrl)]) {
    const located = await probeRestRoot(outbound, root, TIMEOUT_MS)
    if (located) return located
  }
  return null
}

/** No site lies deeper; a post's address does. */
const MAX_FOLDERS = 4

/** `/wp-json/` and `/?rest_route=/` in the page's own folder and in each above it. */
function guessRestRoots(pageUrl: string): string[] {
  const { origin, pathname } = new URL(pageUrl)
  const folders = pathname
    .split('/')
    .filter((part) => part !== '' && !part.includes('.'))
    .slice(0, MAX_FOLDERS)
  const folderAt = (depth: number) => ['', ...folders.slice(0, depth), ''].join('/')
  return [...folders.keys(), folders.length]
    .reverse()
    .flatMap((depth) => [`${origin}${folderAt(depth)}wp-json/`, `${origin}${folderAt(depth)}?rest_route=/`])
}

function describeSite({ restRoot, index }: LocatedRestRoot): DiscoveredSite {
  const { origin, host } = new URL(restRoot)
  const authorizationUrl = index?.authentication['application-passwords']?.endpoints.authorization
  return {
    origin,
    home: resolveSiteHome(restRoot, index?.home ?? ''),
    restRoot,
    name: index?.name || host,
    closed: index === undefined,
    ...(authorizationUrl === undefined ? {} : { authorizationUrl }),
  }
}

/** A WordPress site as it answers, whatever was typed. */
interface DiscoveredSite {
  /** Scheme, host and port after redirects: `https://www.example.com`. */
  origin: string
  /** The site's own home address, with its folder, on the host of its REST root: `https://www.example.com/blog`. */
  home: string
  /** Root of the REST API, ending in `/` or in `rest_route=/`. */
  restRoot: string
  /** The site's title. */
  name: string
  /** Where a browser can approve an application password; absent where they are switched off. */
  authorizationUrl?: string
  /** The index of its REST API is not shown to visitors, so that nobody can tell whether they are. */
  closed: boolean
}

/** The failure for a page that led to no REST API: says what is there instead. */
export function failureForPage(response: OutboundResponse): GalleyError {
  const context = {
    site: new URL(response.url).host,
    method: 'GET',
    doing: 'looking for WordPress',
    subject: 'site',
  } as const
  const page = parseErrorPage(response)
  const known = recognisePage(page)
  if (known) return wordPressFailure(known.code, context, known.facts, response)
  if (isWordPressPage(response)) {
    return wordPressFailure(
      'rest_api_disabled',
      context,
      { said: 'the pages are made by WordPress' },
      response,
    )
  }
  return wordPressFailure(
    'not_wordpress',
    context,
    { found: inWords(page.title, page.text, response) },
    response,
  )
}

/** As far as a page betrays it. */
const isWordPressPage = ({ body }: Pick<OutboundResponse, 'body'>): boolean =>
  /wp-content\/|wp-includes\/|content=["']WordPress/i.test(body.toString('utf8'))

function inWords(title: string, text: string, { status, headers }: OutboundResponse): string {
  const generator = findTags(text, ['meta'])
    .find(({ attributes }) => attributes.get('name')?.toLowerCase() === 'generator')
    ?.attributes.get('content')
    ?.slice(0, 80)
  const parts = [
    title ? `a page called “${title}”` : (headers['content-type'] ?? 'an empty answer'),
    ...(generator ? [`made by ${generator}`] : []),
    ...(status === 200 ? [] : [`HTTP ${status}`]),
  ]
  return parts.join(', ')
}
