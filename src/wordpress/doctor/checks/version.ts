import { GalleyError } from '../../../errors.ts'
import { withoutTrailingSlash } from '../../../lib/text.ts'
import type { Outbound } from '../../../outbound/index.ts'
import { NO_CACHE_HEADERS } from '../../client/index.ts'
import { findTags } from '../../html.ts'
import { type Finding, ok, warning } from '../report.ts'

/** The releases that every change of Galley is tested on, oldest first. */
const TESTED_VERSIONS = ['6.1', '6.8', '7.1'] as const

const TIMEOUT_MS = 15_000
const HEAD_OF_PAGE = {
  headers: NO_CACHE_HEADERS,
  redirects: 'follow',
  maxBytes: 256 * 1024,
  overflow: 'cut',
} as const

/** Where pages betray it: the generator tag of the first, and the addresses of the login page's stylesheets. */
const TELLTALES: [path: string, tag: string, attribute: string, pattern: RegExp][] = [
  ['', 'meta', 'content', /^WordPress (\d+(?:\.\d+)+)/i],
  ['wp-login.php', 'link', 'href', /[?&;]ver=(\d+(?:\.\d+)+)/i],
]

/** The version as the site's pages betray it; `null` on the many sites that hide it. @param frontPage null: not shown */
export async function readVersion(
  outbound: Outbound,
  home: string,
  frontPage: string | null,
): Promise<string | null> {
  for (const [path, tag, attribute, pattern] of TELLTALES) {
    const page =
      path === '' ? frontPage : (await fetchPageHead(outbound, `${withoutTrailingSlash(home)}/${path}`))?.text
    for (const { attributes } of findTags(page ?? '', [tag])) {
      const value = attributes.get(attribute) ?? ''
      const version = tag === 'link' && !value.includes('wp-admin/') ? undefined : pattern.exec(value)?.[1]
      if (version !== undefined) return version
    }
  }
  return null
}

/**
 * Markup of the site's first page, as visitors see it. Null where they do not: it fails, or is an error (maintenance), or
 * leads to another page with a password to enter (a login is forced), or something else is shown in its place.
 */
export async function readFrontPage(outbound: Outbound, home: string): Promise<string | null> {
  const page = await fetchPageHead(outbound, home)
  if (page === null || page.status >= 400 || !isThemePage(page.text)) return null
  const isMoved = withoutTrailingSlash(page.url) !== withoutTrailingSlash(home)
  return asksForPassword(page.text) && (isMoved || hasStylesOfLogin(page.text)) ? null : page.text
}

/**
 * What WordPress puts into the head of every page of a theme: the address of the REST API, its own version, files of the
 * theme. A site may have switched off any of them; a page "coming soon" has none.
 */
const isThemePage = (page: string): boolean =>
  findTags(page, ['link', 'meta']).some(
    ({ attributes }) =>
      attributes.get('rel') === 'https://api.w.org/' ||
      (attributes.get('content') ?? '').startsWith('WordPress '),
  ) || page.includes('/themes/')

const asksForPassword = (page: string): boolean =>
  findTags(page, ['input']).some(({ attributes }) => attributes.get('type')?.toLowerCase() === 'password')

const hasStylesOfLogin = (page: string): boolean =>
  findTags(page, ['link']).some(({ attributes }) => attributes.get('href')?.includes('/wp-admin/css/'))

/** The head of a page. Null where it fails: that says nothing about the REST API, which other checks look at. */
async function fetchPageHead(
  outbound: Outbound,
  url: string,
): Promise<{ status: number; url: string; text: string } | null> {
  try {
    const answer = await outbound.request(url, { ...HEAD_OF_PAGE, timeoutMs: TIMEOUT_MS })
    return { status: answer.status, url: answer.url, text: answer.body.toString('utf8') }
  } catch (error) {
    if (error instanceof GalleyError) return null
    throw error
  }
}

export function checkVersion(version: string | null): Finding {
  const [oldest, newest] = [
    TESTED_VERSIONS[0],
    TESTED_VERSIONS[TESTED_VERSIONS.length - 1] ?? TESTED_VERSIONS[0],
  ]
  if (version === null) {
    return ok(
      'version',
      'The site does not reveal its WordPress version.',
      `Galley is tested on ${oldest} to ${newest}.`,
    )
  }
  if (isOlder(version, oldest)) {
    return warning(
      'version',
      `WordPress ${version} is older than ${oldest}, the oldest that Galley is tested on.`,
      'It may work; block markup may look different in its editor, and it gets no security fixes.',
      'Update WordPress.',
    )
  }
  if (isOlder(newest, version)) {
    return ok(
      'version',
      `WordPress ${version} is newer than ${newest}, the newest tested.`,
      'It should work.',
    )
  }
  return ok('version', `WordPress ${version}.`, `Galley is tested on ${oldest} to ${newest}.`)
}

/** Compares major and minor numbers alone. */
function isOlder(a: string, b: string): boolean {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number)
  const [majorB = 0, minorB = 0] = b.split('.').map(Number)
  return majorA < majorB || (majorA === majorB && minorA < minorB)
}
