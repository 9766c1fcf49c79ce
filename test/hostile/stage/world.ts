import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { createAccount } from '../../../src/accounts/accounts.ts'
import { openDatabase } from '../../../src/database/client.ts'
import { createApiKey, generateSecretKey } from '../../../src/secrets/keyring.ts'
import { type SiteServer, startSiteServer } from '../sites/server.ts'
import { type FileServer, startFiles } from './files.ts'
import { furnish, type Party } from './party.ts'
import { keepSecrets, type Secrets } from './secrets.ts'
import { type Service, startService } from './service.ts'
import { type UnderWay, watchWork } from './under-way.ts'

/** The service under attack, those who attack it, and those who must not notice. */
export interface World {
  service: Service
  secrets: Secrets
  /** Sites that answer as they like. */
  hostile: SiteServer
  files: FileServer
  /** An address that Galley may not reach; whoever arrives there has got past the guard. */
  thief: { url: string; visits: string[] }
  /** Two that send what is hostile. */
  attackers: [Party, Party]
  /** Has rows, and does nothing: not one byte of them may change, nor a name of it be shown. */
  neighbour: Party
  /** Sends good documents all the while. */
  honest: Party
  /** What is being asked. */
  work: UnderWay
  /** A word in every name that the neighbour has. */
  canary: string
  stop(): Promise<void>
}

export async function startWorld(): Promise<World> {
  const [hostile, sound, thief, files] = await Promise.all([
    startSiteServer(),
    startSiteServer(),
    startThief(),
    startFiles(),
  ])
  const secrets = keepSecrets()
  const secretKeys = generateSecretKey()
  const adminKey = createApiKey()
  secrets.add('the secret keys', secretKeys.slice(secretKeys.indexOf(':') + 1))
  const service = await startService({
    GALLEY_ALLOW_PRIVATE: [hostile.port, sound.port, files.port].map((port) => `127.0.0.1:${port}`).join(),
    GALLEY_SECRET_KEYS: secretKeys,
    GALLEY_ADMIN_KEY: adminKey,
  })
  const connectionString = service.connectionString
  const database = openDatabase({ connectionString, poolSize: 2, log: pino({ level: 'silent' }) })
  const canary = `canary${randomUUID().slice(0, 8)}`
  const party = async (name: string, server: SiteServer): Promise<Party> => {
    const { account, key } = await createAccount(database.pool, { name })
    return furnish(service, secrets, server, { id: account.id, key, name })
  }
  const attackers: [Party, Party] = [
    await party('First attacker', hostile),
    await party('Second attacker', hostile),
  ]
  const neighbour = await party(canary, sound)
  const honest = await party('Honest', sound)
  await database.close()
  return {
    service,
    secrets,
    hostile,
    files,
    thief,
    attackers,
    neighbour,
    honest,
    canary,
    work: watchWork(),
    async stop() {
      await service.stop()
      await Promise.all([hostile.close(), sound.close(), thief.close(), files.close()])
    },
  }
}

/** Gives the attackers new things, for those that they had. */
export async function refurnish({ service, secrets, hostile, attackers }: World): Promise<void> {
  for (const party of attackers)
    Object.assign(party, await furnish(service, secrets, hostile, { ...party, name: 'An attacker' }))
}

async function startThief(): Promise<World['thief'] & { close(): Promise<void> }> {
  const visits: string[] = []
  const server = createServer((request, response) => {
    visits.push(`${request.method} ${request.url}`)
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    visits,
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
