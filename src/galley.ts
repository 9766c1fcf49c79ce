import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bootstrapAccount } from './accounts/bootstrap.ts'
import type { Config } from './config.ts'
import { migrate, openDatabase, startEmbedded } from './database/index.ts'
import { standardTiming, type Timing } from './delivery/timing.ts'
import { startDeliveryWorker } from './delivery/worker.ts'
import { GalleyError } from './errors.ts'
import { createListener } from './http/app.ts'
import { createMetrics } from './http/metrics.ts'
import { createIntake } from './intake/index.ts'
import type { Logger } from './log.ts'
import { createOutbound } from './outbound/index.ts'
import { loadKeyring } from './secrets/index.ts'
import { userAgent } from './version.ts'

export interface Galley {
  /** Where it listens; undefined for a process that only works. */
  url: string | undefined
  /** The first key, where this start made it: to be shown once. */
  newKey: string | undefined
  /** Answers what it has accepted, finishes what is under way, and releases everything, in that order. */
  stop(): Promise<void>
}

/** Connections for intake, pumps and the API together; a transaction holds one for milliseconds. */
const POOL_SIZE = 20

/**
 * Starts Galley with these settings and resolves when it serves.
 *
 * @param onLost called when it can no longer go on, with the reason
 * @param timing of leases and time-outs; tests of takeovers shorten it
 * @throws GalleyError for a folder in use, a database out of reach, a port taken
 */
export async function startGalley(
  config: Config,
  log: Logger,
  onLost: (error: GalleyError) => void = () => undefined,
  timing: Timing = standardTiming,
): Promise<Galley> {
  /** What has been started, the newest last; stopped from the end. */
  const started: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const end of started.splice(0).reverse()) await end()
  }
  try {
    return { ...(await compose(config, log, onLost, timing, started)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function compose(
  config: Config,
  log: Logger,
  onLost: (error: GalleyError) => void,
  timing: Timing,
  started: (() => Promise<void>)[],
): Promise<Omit<Galley, 'stop'>> {
  const connectionString = config.databaseUrl ?? (await embedded(config, log, onLost, started))
  await migrate({ connectionString, log })
  const database = openDatabase({ connectionString, poolSize: POOL_SIZE, log })
  started.push(() => database.close())
  const keyring = await loadKeyring(config)
  const outbound = createOutbound({
    allowPrivate: config.allowPrivate,
    userAgent: userAgent(config.publicUrl),
  })
  started.push(() => outbound.close())
  const { newKey } = await bootstrapAccount(database, { adminKey: config.adminKey })

  if (config.role !== 'web') {
    const { retentionDays } = config
    const needs = { database, outbound, keyring, log, timing, retentionDays, onLost }
    const worker = await startDeliveryWorker(needs)
    started.push(() => worker.stop())
  }
  if (config.role === 'worker') return { url: undefined, newKey }
  const intake = createIntake(database.pool, keyring)
  const server = await listen(config)
  started.push(() => close(server))
  const url = addressOf(server)
  // Where the system chose the port, nobody could have named it in the settings.
  const publicUrl = config.port === 0 && config.publicUrl.endsWith(':0') ? url : config.publicUrl
  const parts = { log, database, keyring, outbound, intake, metrics: createMetrics() }
  server.on('request', createListener({ config: { ...config, publicUrl }, ...parts }))
  return { url, newKey }
}

/** The embedded PostgreSQL, stopped last of all. */
async function embedded(
  { dataDir }: Config,
  log: Logger,
  onLost: (error: GalleyError) => void,
  started: (() => Promise<void>)[],
): Promise<string> {
  const server = await startEmbedded({ dataDir, log, onLost })
  started.push(() => server.stop())
  return server.connectionString
}

function listen({ host, port }: Config): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (cause) => reject(cannotListen(host, port, cause)))
    server.listen(port, host, () => resolve(server))
  })
}

const cannotListen = (host: string, port: number, cause: Error): GalleyError =>
  new GalleyError({
    code: 'cannot_listen',
    message: `Galley cannot listen on ${host}:${port}: ${cause.message}. Stop what uses it, or set PORT or HOST.`,
    action: 'owner',
    cause,
  })

/**
 * Takes no new connection, and ends the idle ones; resolves when the last answer is out. A connection that is kept busy
 * ends with the next answer: its sender would otherwise keep this process up for as long as it has something to send.
 */
const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.prependListener('request', (_, response) => response.setHeader('Connection', 'close'))
    server.close(() => resolve())
    server.closeIdleConnections()
  })

function addressOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
