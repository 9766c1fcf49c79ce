import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { type Dispatcher, request } from 'undici'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createKey as createApiKey } from '../../src/accounts/keys.ts'
import { type ByteBudget, createByteBudget, registerByteMetrics } from '../../src/bytes/budget.ts'
import { ChangeStreams } from '../../src/changes/streams.ts'
import { type Config, loadConfig } from '../../src/config/config.ts'
import { type Database, openDatabase } from '../../src/database/client.ts'
import { createSiteStylesCache } from '../../src/delivery/preview/preview.ts'
import type { Providers } from '../../src/generation/providers/types.ts'
import { createStorage, type Storage } from '../../src/generation/storage/storage.ts'
import { createListener } from '../../src/http/app.ts'
import { createMetrics } from '../../src/http/request-telemetry.ts'
import { createHttpServer, listen, type ServerTimeouts } from '../../src/http/server.ts'
import { createIntake } from '../../src/intake/receive.ts'
import { createLog } from '../../src/log/log.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { generateSecretKey, type Keyring, openKeyring, parseSecretKeys } from '../../src/secrets/keyring.ts'
import { noProviders } from '../generation/providers.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { assertAsDescribed } from '../support/galley.ts'
import { testSettings } from '../support/settings.ts'

export interface Answered {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: what came is what the test looks at
  body: any
}

export interface Asked {
  key?: string | undefined
  /** Sent as JSON, unless it is text or bytes. */
  body?: unknown
  headers?: Record<string, string>
}

/** Who asks in a test: an account with its key. */
interface TestAccount {
  id: string
  key: string
}

/** The web side of Galley on a real port and a real database, with two accounts that must not see each other. */
export interface TestApp {
  url: string
  /** Of its database, for another process on it. */
  connectionString: string
  database: Database
  keyring: Keyring
  budget: ByteBudget
  storage: Storage
  streams: ChangeStreams
  /** Where its files lie. */
  dataDir: string
  owner: TestAccount
  stranger: TestAccount
  /** Every line logged so far. */
  logged: string[]
  /** As the owner, unless another key, or none, is given. */
  ask(method: string, path: string, asked?: Asked): Promise<Answered>
  stop(): Promise<void>
}

/**
 * @param existing a migrated database; one of its own where left out
 * @param patience with slow clients, where a test cannot wait for the standard one
 * @param providers that its settings name
 */
export async function startApp(
  overrides: Partial<Config> = {},
  existing?: string,
  patience?: ServerTimeouts,
  providers: Providers = noProviders,
): Promise<TestApp> {
  const own = existing === undefined ? await freshDatabase() : undefined
  const connectionString = existing ?? (own as FreshDatabase).connectionString
  const config = { ...loadConfig(testSettings), ...overrides }
  const { log, logged } = logInMemory(config)
  const database = openDatabase({ connectionString, poolSize: 5, log })
  const keyring = openKeyring(parseSecretKeys(config.secretKeys ?? generateSecretKey(), 'this test'))
  const outbound = createOutbound({ allowPrivate: config.allowPrivate, userAgent: 'Galley/test' })
  const intake = createIntake(database.pool, keyring, log)
  const budget = createByteBudget(config.bytesInFlight)
  const metrics = createMetrics()
  registerByteMetrics(metrics, budget)
  const dataDir = await mkdtemp(join(tmpdir(), 'galley-app-'))
  const storage = createStorage({
    pool: database.pool,
    dataDir,
    publicUrl: () => config.publicUrl,
    days: config.fileDays,
  })
  const server = createHttpServer(config, patience)
  const streams = new ChangeStreams({ pool: database.pool, log, most: 50 })
  const services = {
    config,
    log,
    database,
    keyring,
    outbound,
    budget,
    intake,
    storage,
    styles: createSiteStylesCache(outbound, budget.documents),
    providers,
    metrics,
    streams,
  }
  server.on('request', createListener(services))
  const url = await listen(server, { host: '127.0.0.1', port: 0 })
  const owner = await testAccount(database, 'Owner')

  return {
    url,
    connectionString,
    database,
    keyring,
    budget,
    storage,
    streams,
    dataDir,
    owner,
    stranger: await testAccount(database, 'Stranger'),
    logged,
    async ask(method, path, asked = {}) {
      const answer = await ask(url, method, path, { key: owner.key, ...asked })
      await assertAsDescribed({ method, path, ...answer })
      return answer
    },
    async stop() {
      await streams.stop()
      server.closeAllConnections()
      server.close()
      await outbound.close()
      await database.close()
      await own?.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function testAccount({ pool }: Database, name: string): Promise<TestAccount> {
  const { account, key } = await createAccount(pool, { name })
  return { id: account.id, key }
}

/** A key of the owner's account for what is of all accounts together. */
export async function operatorKey({ database: { prisma }, owner }: TestApp): Promise<string> {
  return (await createApiKey(prisma, { accountId: owner.id, name: 'Operator', role: 'operator' })).key
}

function logInMemory(config: Config) {
  const logged: string[] = []
  const lines = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk))
      done()
    },
  })
  return { log: createLog(config, lines), logged }
}

async function ask(
  url: string,
  method: string,
  path: string,
  { key, body, headers }: Asked,
): Promise<Answered> {
  const raw = typeof body === 'string' || body instanceof Uint8Array
  // `fetch` takes three times as long.
  const response = await request(`${url}${path}`, {
    method: method as Dispatcher.HttpMethod,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: raw ? body : JSON.stringify(body) }),
  })
  const text = await response.body.text()
  const received = new Headers()
  for (const [name, values = []] of Object.entries(response.headers))
    for (const value of [values].flat()) received.append(name, value)
  const json = received.get('content-type')?.startsWith('application/json')
  return { status: response.statusCode, headers: received, body: json ? JSON.parse(text) : text }
}
