import type { WordPressClient } from '../client/index.ts'
import { askIndex, homeOf } from '../discover/index.ts'
import type { CurrentUser } from '../types.ts'
import { checkAddress } from './checks/address.ts'
import { checkClock } from './checks/clock.ts'
import { checkConnection, checkEncryption, checkRedirects, isRedirect } from './checks/connection.ts'
import { checkCredentials } from './checks/credentials.ts'
import { checkRestApi, forUsersAlone, mayBeForUsersAlone } from './checks/rest-api.ts'
import { checkVersion, readFrontPage, readVersion } from './checks/version.ts'
import type { Finding } from './types.ts'

/** What everything else stands on. */
export interface Prerequisites {
  user: CurrentUser
  /** Of the REST API; null where it shows its index to nobody, so that they cannot be told. */
  namespaces: string[] | null
  /** Markup of the site's first page, as visitors see it; null where they do not. */
  frontPage: string | null
  wordpressVersion: string | null
}

/** Network, REST API and credentials. Each check needs the one before; without them the rest is moot. */
export async function checkPrerequisites(
  client: WordPressClient,
  now: number,
): Promise<{ findings: Finding[]; prerequisites: Prerequisites | null; home: string | null }> {
  const { restRoot } = client.site
  const { finding: connection, answer } = await checkConnection(client)
  if (!answer) return { findings: [connection], prerequisites: null, home: null }
  const open = checkRestApi(client, answer)
  // What visitors are not shown may be shown to users.
  const closed = mayBeForUsersAlone(answer, open.refusal) ? await askIndex(client) : null
  const {
    finding: restApi,
    index,
    usable,
  } = closed === null ? open : { finding: forUsersAlone(client.site.name), index: closed, usable: true }
  const findings = [
    connection,
    checkRedirects(restRoot, answer, closed !== null),
    checkEncryption(restRoot),
    ...(usable || !isRedirect(answer) ? [restApi] : []),
  ]
  if (!usable) return { findings, prerequisites: null, home: null }

  const clock = checkClock(answer.headers.date, now)
  if (clock) findings.push(clock)
  const { finding: credentials, user } = await checkCredentials(client)
  // Refused once is enough: plugins count every try, and lock the address.
  const shown = index ?? (user === null ? null : await askIndex(client))
  const claimed = shown?.home ?? ''
  const address = checkAddress(client.site.restRoot, claimed)
  if (address) findings.push(address)
  const site = homeOf(restRoot, claimed)
  const frontPage = await readFrontPage(client.outbound, site)
  const wordpressVersion = await readVersion(client.outbound, site, frontPage)
  findings.push(checkVersion(wordpressVersion), credentials)
  const home = claimed || null
  if (!user) return { findings, prerequisites: null, home }
  return {
    findings,
    home,
    prerequisites: { user, namespaces: shown?.namespaces ?? null, frontPage, wordpressVersion },
  }
}
