import type { WordPressClient } from '../client/index.ts'
import { homeOf } from '../discover/home.ts'
import type { CurrentUser } from '../types.ts'
import { checkAddress } from './checks/address.ts'
import { checkClock } from './checks/clock.ts'
import { checkConnection } from './checks/connection.ts'
import { checkCredentials } from './checks/credentials.ts'
import { checkRestApi } from './checks/rest-api.ts'
import { checkVersion, readVersion } from './checks/version.ts'
import type { Finding } from './types.ts'

/** What everything else stands on. */
export interface Ground {
  user: CurrentUser
  /** Of the REST API; empty where it shows its index to nobody. */
  namespaces: string[]
  wordpressVersion: string | null
}

/** Network, REST API and credentials. Each check needs the one before; without ground the rest is moot. */
export async function examineGround(
  client: WordPressClient,
  now: number,
): Promise<{ findings: Finding[]; ground: Ground | null; home: string | null }> {
  const findings: Finding[] = []
  const { findings: connection, answer } = await checkConnection(client)
  findings.push(...connection)
  if (!answer) return { findings, ground: null, home: null }

  const { finding: restApi, index, usable } = checkRestApi(client, answer)
  findings.push(restApi)
  if (!usable) return { findings, ground: null, home: null }

  const clock = checkClock(answer.headers.date, now)
  if (clock) findings.push(clock)
  const claimed = index?.home ?? ''
  const address = checkAddress(client.site.restRoot, claimed)
  if (address) findings.push(address)
  const wordpressVersion = await readVersion(client.outbound, homeOf(client.site.restRoot, claimed))
  findings.push(checkVersion(wordpressVersion))

  const { finding: credentials, user } = await checkCredentials(client)
  findings.push(credentials)
  const home = claimed || null
  if (!user) return { findings, ground: null, home }
  return { findings, home, ground: { user, namespaces: index?.namespaces ?? [], wordpressVersion } }
}
