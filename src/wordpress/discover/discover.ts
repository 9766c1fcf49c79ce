import { asFailure, GalleyError } from '../../errors.ts'
import { answerBegan } from '../../outbound/failures.ts'
import type { Outbound, OutboundResponse } from '../../outbound/outbound.ts'
import { classifyFailure, wordPressFailure } from '../failures/classify.ts'
import { generatorOf, isMissing, parseErrorPage, recognisePage } from '../failures/error-pages.ts'
import { isMadeByWordPress } from '../failures/firewalls.ts'
import type { SiteCredentials } from '../types.ts'
import {
  addressCandidates,
  believesPlain,
  isPlain,
  isSameHost,
  mayReceiveCredentials,
  resolveSiteHome,
} from './address.ts'
import {
  type LocatedRestRoot,
  probeRestRoot,
  probeRestRootSignedIn,
  requestPage,
  restRootFromPage,
} from './rest-root.ts'

/**
 * Finds the WordPress behind whatever was typed, by its `Link` header or at the two usual places in each folder above.
 * @param credentials to look with, once, where visitors of a WordPress are shown no REST API
 * @throws GalleyError what was found instead, or why nothing was.
 */
export async function discover(
  outbound: Outbound,
  typed: string,
  credentials?: SiteCredentials,
): Promise<DiscoveredSite> {
  let unreachable: GalleyError | undefined
  for (const candidate of addressCandidates(typed)) {
    try {
      const found = describeSite(await discoverAt(outbound, candidate, typed, credentials))
      // Credentials do not go there, and what is wrong with its https says more.
      if (credentials && unreachable?.code === 'tls_failed' && isPlain(found.restRoot)) throw unreachable
      return found
    } catch (error) {
      if (!(error instanceof GalleyError) || !mayBeOtherScheme(error)) throw error
      unreachable ??= error
    }
  }
  throw unreachable
}

async function discoverAt(
  outbound: Outbound,
  candidate: URL,
  typed: string,
  credentials: SiteCredentials | undefined,
): Promise<LocatedRestRoot> {
  const page = await frontPage(outbound, candidate)
  const isUnread = page instanceof GalleyError
  const [address, named] = isUnread ? [candidate.href] : [page.url, restRootFromPage(page)]
  const { located, refusal } = await locateRestRoot(outbound, address, named)
  if (located) return located
  if (isUnread) throw refusal ?? page
  const shown = credentials && (await discoverSignedIn(outbound, typed, page, credentials))
  if (shown) return shown
  const failure = failureForPage(page, candidate)
  // What answers in the place of the REST API says more than a page that only shows who makes it.
  const saysLittle =
    isWordPressPage(page) || (failure.code === 'not_wordpress' && !generatorOf(page.body.toString('utf8')))
  throw saysLittle ? (refusal ?? failure) : failure
}

/** The front page, or why it cannot be read where the REST API may be sound all the same. */
const frontPage = (outbound: Outbound, address: URL): Promise<OutboundResponse | GalleyError> =>
  requestPage(outbound, address).catch((error: unknown) => {
    if (error instanceof GalleyError && (answerBegan(error) || error.code === 'too_many_redirects'))
      return error
    throw error
  })

/** Whoever is no WordPress gets no credentials to see. */
async function discoverSignedIn(
  outbound: Outbound,
  typed: string,
  page: OutboundResponse,
  credentials: SiteCredentials,
): Promise<LocatedRestRoot | null> {
  const root = restRootFromPage(page) ?? (isWordPressPage(page) ? guessRestRoots(page.url)[0] : undefined)
  return root !== undefined && mayReceiveCredentials(typed, root)
    ? probeRestRootSignedIn(outbound, root, credentials)
    : null
}

/** What may only mean that the server does not speak https. One that has begun to answer does. */
const mayBeOtherScheme = (error: GalleyError): boolean =>
  ['site_unreachable', 'tls_failed', 'connection_lost', 'site_timeout'].includes(error.code) &&
  !answerBegan(error)

/** The REST root at the likely places, or what the likeliest of those that answer says instead. */
async function locateRestRoot(outbound: Outbound, pageUrl: string, named?: string) {
  let refusal: GalleyError | undefined
  for (const root of [...(named === undefined ? [] : [named]), ...guessRestRoots(pageUrl)]) {
    const probed = await probeRestRoot(outbound, root, root === named).catch((error: unknown) => {
      // WordPress may name itself by an address of its own network.
      if (isSameHost(root, pageUrl)) throw error
      return asFailure(error)
    })
    if (probed instanceof GalleyError) refusal ??= probed
    else if (probed) return { located: probed }
  }
  return { located: null, refusal }
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
  return {
    home: resolveSiteHome(restRoot, index?.home ?? ''),
    restRoot,
    name: index?.name || new URL(restRoot).host,
    closed: index === undefined,
    believesPlain: believesPlain(restRoot, index?.home ?? ''),
    authorizationUrl: index?.authentication['application-passwords']?.endpoints.authorization,
  }
}

interface DiscoveredSite {
  /** The site's own home address, with its folder, on the host of its REST root: `https://www.example.com/blog`. */
  home: string
  /** Root of the REST API, ending in `/` or in `rest_route=/`. */
  restRoot: string
  name: string
  /** Where a browser can approve an application password; undefined where they are switched off. */
  authorizationUrl: string | undefined
  believesPlain: boolean
  /** The index of its REST API is not shown to visitors, so that nobody can tell whether they are. */
  closed: boolean
}

/** Says what is there instead of WordPress. @param asked led there; `page.url` is where redirects end */
export function failureForPage(page: OutboundResponse, asked: URL): GalleyError {
  const reached = new URL(page.url)
  const context = {
    site: isSameHost(asked.href, page.url)
      ? reached.host
      : `${asked.host} (which redirects to ${reached.host})`,
    method: 'GET',
    doing: 'looking for WordPress',
    subject: 'site',
  } as const
  const { status } = page
  if (recognisePage(parseErrorPage(page)) || (status >= 400 && !isMissing(page)))
    return classifyFailure(page, undefined, context)
  if (isWordPressPage(page))
    return wordPressFailure('rest_api_disabled', context, { said: 'the pages are made by WordPress' }, page)
  return wordPressFailure('not_wordpress', context, { found: inWords(page) }, page)
}

const isWordPressPage = ({ body }: Pick<OutboundResponse, 'body'>): boolean =>
  isMadeByWordPress(body.toString('utf8'))

function inWords(page: OutboundResponse): string {
  const { status, headers, body } = page
  const { title } = parseErrorPage(page)
  const generator = generatorOf(body.toString('utf8'))
  const parts = [
    title ? `a page called “${title}”` : (headers['content-type'] ?? 'an empty answer'),
    ...(generator ? [`made by ${generator}`] : []),
    ...(status === 200 ? [] : [`HTTP ${status}`]),
  ]
  return parts.join(', ')
}
