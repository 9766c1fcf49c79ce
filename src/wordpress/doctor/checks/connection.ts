import { z } from 'zod'
import { asFailure, GalleyError, recoverWith } from '../../../errors.ts'
import { pluralize, withoutTrailingSlash } from '../../../lib/text.ts'
import type { Outbound, OutboundResponse } from '../../../outbound/outbound.ts'
import { requestParsed, type WordPressClient } from '../../client/client.ts'
import { extractJson } from '../../client/json.ts'
import { isSameHost } from '../../discover/address.ts'
import { fetchCurrentUser } from '../../discover/current-user.ts'
import {
  fetchRestIndex,
  isClosedToVisitors,
  parseRestIndex,
  type RestIndex,
  requestIndex,
  requestPage,
} from '../../discover/rest-root.ts'
import type { FailureCode } from '../../failures/catalogue.ts'
import { classifyFailure, failureTextOf } from '../../failures/classify.ts'
import { boundedArray } from '../../fields.ts'
import { findTags } from '../../html.ts'
import type { CurrentUser } from '../../types.ts'
import { type Finding, line } from '../report.ts'

/** DNS, TCP and TLS, and what a visitor is answered. */
export async function checkConnection({
  site,
  outbound,
}: WordPressClient): Promise<{ finding: Finding; answer: OutboundResponse | null; failure?: GalleyError }> {
  const answer = await requestIndex(outbound, site.restRoot, 'none').catch(asFailure)
  if (answer instanceof GalleyError) {
    const finding = line.connection.failed(
      answer,
      'Nothing can be delivered until the site is reached again.',
    )
    return { finding, answer: null, failure: answer }
  }
  const means = 'Its name, its server and its certificate are in order.'
  return { finding: line.connection.ok(`${site.name} answers.`, means), answer }
}

/** @param redirect the failure of a REST API that is at another address */
export const checkRedirects = (restRoot: string, redirect: GalleyError | undefined): Finding =>
  redirect === undefined
    ? line.redirects.ok(`${restRoot} answers itself.`, 'Credentials reach WordPress.')
    : line.redirects.failed(
        redirect,
        'Nothing can be delivered: credentials are never sent after a redirect.',
      )

export function checkEncryption(restRoot: string): Finding {
  if (restRoot.startsWith('https:')) {
    return line.encryption.ok('The address begins with https.', 'The application password travels encrypted.')
  }
  return line.encryption.warning(
    'The address begins with http, without encryption.',
    'The application password can be read on the way, and WordPress takes it only on sites marked as local.',
    'Get a certificate (most hosts give one for free) and connect the site by its https address.',
  )
}

/** Whether the credentials arrive and are right; a public route would prove nothing. */
export async function checkCredentials(
  client: WordPressClient,
): Promise<{ finding: Finding; user: CurrentUser | null; failure?: GalleyError }> {
  const user = await fetchCurrentUser(client).catch(asFailure)
  if (user instanceof GalleyError)
    return { finding: line.credentials.failed(user, 'Nothing can be delivered.'), user: null, failure: user }
  const roles = user.roles.length > 0 ? user.roles.join(', ') : 'no role'
  const finding = user.isHidden
    ? line.credentials.ok(
        `The application password of ${user.name} works. A plugin keeps users from the REST API (as WP Cerber does), so the role cannot be told.`,
        'Posts can be delivered. What this user may do is told further below, where it was tried; the setting “author” cannot be used.',
      )
    : line.credentials.ok(`Galley is ${user.name} (${roles}).`, 'The application password works.')
  return { finding, user }
}

export function checkAddress(restRoot: string, home: string): Finding | null {
  if (home === '') return null
  if (isSameHost(home, restRoot))
    return line.address.ok(
      `The site calls itself ${home}.`,
      'Links to its posts lead to where it is reached.',
    )
  return line.address.warning(
    `The site calls itself ${home}, but is reached at ${new URL(restRoot).origin}.`,
    `Galley keeps using the address at which it reaches the site; links to its posts lead to ${new URL(home).host}.`,
    'If both are yours, all is well. If not, somebody else may answer at this address: check it, and Settings → General in WordPress.',
  )
}

const TOLERATED_MS = 2 * 60 * 1000

/** The server's clock against ours, from the `Date` of an answer; `null` where it sent none. */
export function checkClock(date: string | undefined, now: number): Finding | null {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return null
  const skew = theirs - now
  if (Math.abs(skew) <= TOLERATED_MS) {
    return line.clock.ok('The clocks of the site and of Galley agree.', 'Posts get the right time.')
  }
  const hours = Math.abs(skew) / 3_600_000
  const apart =
    hours < 2
      ? pluralize(Math.round(hours * 60), 'minute')
      : hours < 48
        ? pluralize(Math.round(hours), 'hour')
        : pluralize(Math.round(hours / 24), 'day')
  return line.clock.warning(
    `The clock of the site is ${apart} ${skew > 0 ? 'ahead' : 'behind'}.`,
    'Posts get a wrong time; one published on a clock that is ahead shows as scheduled elsewhere.',
    'Ask the host to set the server’s clock, usually by switching time synchronisation on.',
  )
}

interface RestApiCheck {
  finding: Finding
  index: RestIndex | null
  usable: boolean
  failure?: GalleyError
}

export async function checkRestApi(client: WordPressClient, answer: OutboundResponse): Promise<RestApiCheck> {
  const { name, restRoot } = client.site
  const index = answer.status === 200 ? parseRestIndex(answer.body) : null
  if (index) return { finding: checkCleanJson(restRoot, answer.body), index, usable: true }

  const finding = line.rest_api.ok(
    `The REST API of ${name} answers logged-in users alone.`,
    'That is fine: Galley always logs in.',
  )
  if (isClosedToVisitors(answer)) return { finding, index: null, usable: true }
  const json = extractJson(answer.body)
  const said = json.found ? json.value : undefined
  const context = { site: name, method: 'GET', doing: 'reading its index', subject: 'site' } as const
  const refusal = classifyFailure(answer, said, context)
  // What visitors are not shown may be shown to users.
  const shown = VISITOR_REFUSALS.has(refusal.code) ? await fetchRestIndex(client) : null
  if (shown) return { finding, index: shown, usable: true }
  const failed = line.rest_api.failed(refusal, 'Nothing can be delivered.')
  return { finding: failed, index: null, usable: false, failure: refusal }
}

/** What plugins answer visitors that let users in. */
const VISITOR_REFUSALS: ReadonlySet<string> = new Set<FailureCode>([
  'maintenance_page',
  'login_wall',
  'rest_api_disabled',
])

function checkCleanJson(restRoot: string, body: Buffer): Finding {
  const text = body.toString('utf8')
  const links = restRoot.includes('?') ? 'plain' : 'pretty'
  if (text.startsWith('{') && text.trimEnd().endsWith('}')) {
    return line.rest_api.ok(
      `The REST API answers at ${restRoot}.`,
      `Permalinks are ${links}; both kinds work.`,
    )
  }
  const around = text.startsWith('{') ? text.slice(-80) : text.slice(0, 80)
  return line.rest_api.warning(
    `Something is printed around the answers of the REST API: “${around.trim().replace(/\s+/g, ' ')}”.`,
    'Galley reads past it, but an answer may be lost, and other programs fail.',
    'Find the plugin or file that prints it: often PHP notices are shown (WP_DEBUG_DISPLAY), or a file begins with a byte order mark.',
  )
}

/** What WordPress answers of a post that cannot be: the batch went through, and nothing was done. */
const EXPECTED_REFUSAL = 'rest_post_invalid_id'

const answeredSchema = z.object({
  responses: boundedArray(z.object({ body: z.object({ code: z.string().max(200) }) }), 1),
})

/** Whether `/batch/v1` answers this user. Where it does not, documents come one by one: no trouble. */
export async function checkBatch(client: WordPressClient, postType: string): Promise<Finding> {
  const answered = await requestParsed(client, answeredSchema, {
    method: 'POST',
    path: '/batch/v1',
    data: { requests: [{ method: 'DELETE', path: `/wp/v2/${postType}/0` }] },
    doing: 'sending several requests at once',
    subject: 'site',
  }).catch(asFailure)
  const code = answered instanceof GalleyError ? null : answered.value.responses[0]?.body.code
  if (code === EXPECTED_REFUSAL)
    return line.batch.ok(
      'The site accepts several requests in one (/batch/v1).',
      'Where many documents wait they come several at a time, which is less work for the site.',
    )
  return line.batch.ok(
    answered instanceof GalleyError
      ? `The site does not accept several requests in one (/batch/v1). ${failureTextOf(answered).happened}`
      : `WordPress does not take several posts of this type at once: ${code ?? 'no answer'}.`,
    'Nothing is lost: documents are delivered one by one, which takes longer when many are waiting.',
  )
}

/** The releases that every change of Galley is tested on: the oldest and the newest. */
const [oldest, newest] = ['6.1', '7.1'] as const

/** The version as the site’s pages betray it; `null` on the many that hide it. @param installedAt the folder of WordPress’s own pages */
export async function readVersion(outbound: Outbound, installedAt: string, frontPage: string | null) {
  const generator = valuesOf(frontPage ?? '', 'meta', 'content').map(
    (content) => /^WordPress (\d+(?:\.\d+)+)/i.exec(content)?.[1],
  )
  const shown = generator.find((version) => version !== undefined)
  if (shown !== undefined) return shown
  const login = await requestPage(outbound, `${withoutTrailingSlash(installedAt)}/wp-login.php`).catch(
    recoverWith(null),
  )
  const styles = valuesOf(login?.body.toString('utf8') ?? '', 'link', 'href')
    .filter((address) => address.includes('wp-admin/'))
    .map((address) => /[?&;]ver=(\d+(?:\.\d+)+)/i.exec(address)?.[1])
  return styles.find((version) => version !== undefined) ?? null
}

const valuesOf = (page: string, tag: string, attribute: string): string[] =>
  findTags(page, [tag]).map(({ attributes }) => attributes.get(attribute) ?? '')

/** Markup of the site's first page; null where visitors do not see it: an error, a login, or something else in its place. */
export async function readFrontPage(outbound: Outbound, home: string): Promise<string | null> {
  // Whether it fails says nothing about the REST API, which other checks look at.
  const page = await requestPage(outbound, home).catch(recoverWith(null))
  const text = page?.body.toString('utf8') ?? ''
  if (page === null || page.status >= 400 || !isThemePage(text)) return null
  const isMoved = withoutTrailingSlash(page.url) !== withoutTrailingSlash(home)
  const asksForPassword = valuesOf(text, 'input', 'type').some((type) => type.toLowerCase() === 'password')
  const isLogin = isMoved || valuesOf(text, 'link', 'href').some((href) => href.includes('/wp-admin/css/'))
  return asksForPassword && isLogin ? null : text
}

/** What WordPress puts into the head of every page of a theme; a page "coming soon" has none of it. */
const isThemePage = (page: string): boolean =>
  valuesOf(page, 'link', 'rel').includes('https://api.w.org/') ||
  valuesOf(page, 'meta', 'content').some((content) => content.startsWith('WordPress ')) ||
  page.includes('/themes/')

export function checkVersion(version: string | null): Finding {
  if (version === null) {
    return line.version.ok(
      'The site does not reveal its WordPress version.',
      `Galley is tested on ${oldest} to ${newest}.`,
    )
  }
  if (isOlder(version, oldest)) {
    return line.version.warning(
      `WordPress ${version} is older than ${oldest}, the oldest that Galley is tested on.`,
      'It may work; block markup may look different in its editor, and it gets no security fixes.',
      'Update WordPress.',
    )
  }
  return line.version.ok(`WordPress ${version}.`, `Galley is tested on ${oldest} to ${newest}.`)
}

function isOlder(a: string, b: string): boolean {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number)
  const [majorB = 0, minorB = 0] = b.split('.').map(Number)
  return majorA < majorB || (majorA === majorB && minorA < minorB)
}
