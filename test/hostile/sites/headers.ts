import { asPage } from './answers.ts'
import type { Exchange, Way } from './server.ts'

/** The honest answer with other headers. */
export const withHeaders =
  (headers: Record<string, string>): Way =>
  ({ honest }) => ({ ...honest, headers: { ...honest.headers, ...headers } })

const redirect =
  (location: (exchange: Exchange) => string, status = 302): Way =>
  (exchange) => ({ status, headers: { location: location(exchange) }, text: '' })

/** What a busy server sends as `Retry-After`. */
const AFTER = [
  '-1',
  '0',
  '99999999999',
  '1e9',
  'NaN',
  'Thu, 01 Jan 1970 00:00:00 GMT',
  'Fri, 31 Dec 9999 23:59:59 GMT',
]

/** Answers that lead elsewhere, and headers that bait or say nonsense. @param thief an address that nobody may reach */
export const headerWays = (thief: string): Record<string, Way> => ({
  'redirects to itself': redirect(({ request, site }) => `${site.url}${request.path}`),
  'redirects for ever': redirect(
    ({ request, site }) => `${site.url}${request.path}?${site.asked.length}`,
    301,
  ),
  'redirects to a thief': redirect(({ request }) => `${thief}${request.path}`, 307),
  'redirects inside': redirect(() => 'http://169.254.169.254/latest/meta-data/'),
  'redirects to a script': redirect(() => 'javascript:alert(1)'),
  'redirects nowhere': redirect(() => 'http://['),
  'redirects far': redirect(() => `/${'a'.repeat(30_000)}`),
  'a link header that baits': withHeaders({ link: '<'.repeat(12_000) }),
  'a link header of parts': withHeaders({ link: `<x>; rel="x", `.repeat(800) }),
  'a hostile link': withHeaders({ link: '<javascript:alert(1)>; rel="https://api.w.org/"' }),
  'a link to a thief': withHeaders({ link: `<${thief}/wp-json/>; rel="https://api.w.org/"` }),
  'a link to nowhere': withHeaders({ link: '<http://[>; rel="https://api.w.org/"' }),
  'a million pages': withHeaders({ 'x-wp-totalpages': '1000000', 'x-wp-total': '-1' }),
  'pages that are no number': withHeaders({ 'x-wp-totalpages': 'Infinity' }),
  'a type that baits': withHeaders({ 'content-type': `${'text/'.repeat(2_000)};charset="x` }),
  'a date that is none': withHeaders({ date: '\u00ff'.repeat(100) }),
  ...Object.fromEntries(
    AFTER.map((after): [string, Way] => [
      `comes again after ${after}`,
      () => ({ ...asPage('Busy', 503), headers: { 'retry-after': after } }),
    ]),
  ),
})
