import type { WordPressClient } from '../client/index.ts'
import type { CurrentUser } from '../types.ts'
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
): Promise<{ findings: Finding[]; ground: Ground | null }> {
  const findings: Finding[] = []
  const { findings: connection, answer } = await checkConnection(client)
  findings.push(...connection)
  if (!answer) return { findings, ground: null }

  const { finding: restApi, index, usable } = checkRestApi(client, answer)
  findings.push(restApi)
  if (!usable) return { findings, ground: null }

  const clock = checkClock(answer.headers.date, now)
  if (clock) findings.push(clock)
  const home = index?.home || new URL(client.site.restRoot).origin
  const wordpressVersion = await readVersion(client.outbound, home)
  findings.push(checkVersion(wordpressVersion))

  const { finding: credentials, user } = await checkCredentials(client)
  findings.push(credentials)
  if (!user) return { findings, ground: null }
  return { findings, ground: { user, namespaces: index?.namespaces ?? [], wordpressVersion } }
}
