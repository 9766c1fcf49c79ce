import { GalleyError } from '../../errors.ts'
import type { Outbound, OutboundResponse } from '../../outbound/index.ts'
import { LARGEST_INDEX, readJson, UNCACHED_HEADERS, uncached } from '../client/index.ts'
import { classify, failure, restErrorIn } from '../failures/index.ts'
import { homeOf } from './home.ts'
import { identify, isMadeByWordPress } from './identify.ts'
import { staysWith } from './leads.ts'
import { restRootNamedBy } from './link.ts'
import { type Located, tryRoot } from './root.ts'
import { type GivenCredentials, lookSignedIn } from './signed-in.ts'
import { candidatesFor } from './typed.ts'
import type { DiscoveredSite } from './types.ts'

const TIMEOUT_MS = 15_000
/** All that is looked for stands in the head of a page. */
const HEAD_OF_PAGE = {
  headers: UNCACHED_HEADERS,
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
  credentials?: GivenCredentials,
): Promise<DiscoveredSite> {
  let unreachable: GalleyError | undefined
  for (const candidate of candidatesFor(typed)) {
    try {
      const page = await outbound.request(candidate, { ...HEAD_OF_PAGE, timeoutMs: TIMEOUT_MS })
      const located = await locate(outbound, page.url, restRootNamedBy(page))
      if (located) return describe(located)
      const shown = credentials && (await signedIn(outbound, typed, page, credentials))
      if (shown) return describe(shown)
      throw (await refusalAt(outbound, restRootNamedBy(page))) ?? identify(page)
    } catch (error) {
      if (!(error instanceof GalleyError)) throw error
      if (error.code === 'too_many_redirects') {
        // The front page of a badly proxied site; its REST API may be sound all the same.
        const located = await locate(outbound, candidate.href)
        if (located) return describe(located)
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
async function refusalAt(outbound: Outbound, root: string | undefined): Promise<GalleyError | null> {
  if (root === undefined) return null
  const headers = { Accept: 'application/json', ...UNCACHED_HEADERS }
  const asked = { headers, redirects: 'follow', maxBytes: LARGEST_INDEX, timeoutMs: TIMEOUT_MS } as const
  const answer = await outbound.request(uncached(root), asked)
  if (answer.status === 404 || answer.status === 410) return null
  const json = readJson(answer.body)
  const context = {
    site: new URL(root).host,
    method: 'GET',
    doing: 'reading the index of its REST API',
    subject: 'site',
  } as const
  const isAnswer = json.found && answer.status === 200 && restErrorIn(json.value) === undefined
  if (isAnswer)
    return failure('answer_unexpected', context, { found: 'there is no index of a REST API in it' })
  const refusal = classify(answer, json.found ? json.value : undefined, context)
  // WordPress's own login, to which a plugin leads visitors: whoever signs in may be let through.
  return refusal.code === 'login_wall' ? null : refusal
}

/** Whoever is no WordPress gets no credentials to see. */
async function signedIn(
  outbound: Outbound,
  typed: string,
  page: OutboundResponse,
  credentials: GivenCredentials,
): Promise<Located | null> {
  const root = restRootNamedBy(page) ?? (isMadeByWordPress(page) ? usualRoots(page.url)[0] : undefined)
  return root !== undefined && staysWith(typed, root) ? lookSignedIn(outbound, root, credentials) : null
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
  failure(
    'https_expected',
    { site: host, method: 'GET', doing: 'looking for WordPress', subject: 'site' },
    {},
  )

/** What may only mean that the server does not speak https. */
const TRY_OTHER_SCHEME = new Set(['site_unreachable', 'tls_failed', 'connection_lost', 'site_timeout'])

async function locate(outbound: Outbound, pageUrl: string, named?: string): Promise<Located | null> {
  for (const root of [...(named === undefined ? [] : [named]), ...usualRoots(pageUrl)]) {
    const located = await tryRoot(outbound, root, TIMEOUT_MS)
    if (located) return located
  }
  return null
}

/** No site lies deeper; a post's address does. */
const MAX_FOLDERS = 4

/** `/wp-json/` and `/?rest_route=/` in the page's own folder and in each above it. */
function usualRoots(pageUrl: string): string[] {
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

function describe({ restRoot, index }: Located): DiscoveredSite {
  const { origin, host } = new URL(restRoot)
  const authorizationUrl = index?.authentication['application-passwords']?.endpoints.authorization
  return {
    origin,
    home: homeOf(restRoot, index?.home ?? ''),
    restRoot,
    name: index?.name || host,
    closed: index === undefined,
    ...(authorizationUrl === undefined ? {} : { authorizationUrl }),
  }
}
