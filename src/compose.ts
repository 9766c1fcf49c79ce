import { takeAdminKey } from './accounts/admin-key.ts'
import { auditWork } from './accounts/audit/work.ts'
import { type Show, showFirstKey } from './accounts/first-key.ts'
import { backfillWork } from './backfill/work.ts'
import { bulkWork } from './bulk/work.ts'
import { createByteBudget, measureBytes } from './bytes/index.ts'
import { Streams } from './changes/streams.ts'
import { changeWork } from './changes/work.ts'
import type { Config } from './config.ts'
import { migrate, openDatabase } from './database/index.ts'
import { resumeLocked, resumeSite } from './delivery/ledger/resume.ts'
import { createStylesOfSites } from './delivery/preview/styles.ts'
import { deliveryWork } from './delivery/work.ts'
import type { GalleyError } from './errors.ts'
import { createProviders } from './generation/providers/registry.ts'
import { jobSteps } from './generation/steps.ts'
import { storedFileFinder } from './generation/storage/find-stored-file.ts'
import { createStorage } from './generation/storage/storage.ts'
import { storageWork } from './generation/storage/work.ts'
import { generationWork } from './generation/work.ts'
import { createListener } from './http/app.ts'
import { startHealthServer } from './http/health-server.ts'
import { createMetrics } from './http/metrics.ts'
import { close, createHttpServer, listen } from './http/server.ts'
import type { ReadinessCheck } from './http/services.ts'
import { idempotencyWork } from './idempotency/work.ts'
import { createIntake } from './intake/index.ts'
import { ownIntake } from './intake/own.ts'
import { upstreamIntake } from './intake/upstream.ts'
import { type JobRunner, type JobRunnerOptions, startJobs } from './jobs/runner.ts'
import type { Worker } from './jobs/task.ts'
import type { Timing } from './jobs/timing.ts'
import type { Logger } from './log.ts'
import { notificationWork } from './notifications/work.ts'
import { observe } from './observe/index.ts'
import { createOutbound } from './outbound/index.ts'
import { trySecretKeys } from './secret-keys.ts'
import { loadKeyring } from './secrets/index.ts'
import { healthWork } from './sites/health/work.ts'
import { importWork } from './sites/import-job/work.ts'
import type { SiteId } from './sites/site-id.ts'
import { SourceLookup } from './sources/lookup.ts'
import { sourceWork } from './sources/work.ts'
import type { Part } from './stop.ts'
import { createUpstreams } from './upstream/ask.ts'
import { userAgent } from './version.ts'

/** Connections for intake, site workers and the API together; a transaction holds one for milliseconds. */
const POOL_SIZE = 20

/** Where Galley can be reached. */
export interface Addresses {
  /** Where it listens; undefined for a process that only works. */
  url: string | undefined
  /** Where else health and metrics are; undefined for nowhere. */
  metricsUrl: string | undefined
}

interface Composed {
  config: Config
  /** Of the database, which is up. */
  connectionString: string
  log: Logger
  onLost: (error: GalleyError) => void
  timing: Timing
  show: Show
}

/**
 * What Galley is made of, each part started when those are that it needs.
 *
 * @param started gets what has been started, the newest last
 */
export async function compose(
  { config, connectionString, log, onLost, timing, show }: Composed,
  started: Part[],
): Promise<Addresses> {
  await migrate({ connectionString, log })
  const database = openDatabase({ connectionString, poolSize: POOL_SIZE, log })
  started.push({ name: 'the database connections', stop: () => database.close() })
  if (config.tracesUrl !== undefined) {
    const { startTracing } = await import('./observe/otlp.ts')
    const tracing = await startTracing({ endpoint: config.tracesUrl, role: config.role }, log)
    started.push({ name: 'the traces', stop: () => tracing.stop() })
  }
  const secretKeys = await trySecretKeys(database, await loadKeyring(config), log)
  const { keyring } = secretKeys
  const checks: ReadinessCheck[] = [secretKeys.problem]
  const budget = createByteBudget(config.bytesInFlight)
  const outbound = createOutbound({
    allowPrivate: config.allowPrivate,
    userAgent: userAgent(config.publicUrl),
    budget,
  })
  started.push({ name: 'the connections to sites', stop: () => outbound.close() })
  // Where the system chooses the port, nobody could name it in the settings: it is known when the server listens.
  let { publicUrl } = config
  const storage = createStorage({
    pool: database.pool,
    dataDir: config.dataDir,
    publicUrl: () => publicUrl,
    days: config.fileDays,
    s3: config.s3,
  })
  const findStored = storedFileFinder(storage, budget.files)
  const providers = createProviders(config.providers, outbound)
  const sources = new SourceLookup(database.pool, keyring)
  const upstreams = createUpstreams({ pool: database.pool, outbound, keyring, timing })
  const resume = (site: SiteId) => resumeSite(database.pool, site)
  const work = { keyring, outbound, log, timing }
  // Most installations send none.
  const mailer = config.mail && (await import('./notifications/mail/mailer.ts'))
  const mail = config.mail && mailer?.createMailer(config.mail, () => publicUrl, log)
  const startDeliveries = prepareJobs({ pool: database.pool, log, timing, onLost }, started, checks, () => [
    deliveryWork({ ...work, database, budget, findStored, upstreams, retentionDays: config.retentionDays }),
    healthWork({ ...work, ...database, resume, retentionDays: config.retentionDays }),
    sourceWork(database),
    idempotencyWork(database.pool),
    changeWork(database.pool),
    auditWork(database.pool),
    backfillWork({
      pool: database.pool,
      budget,
      upstreams,
      timing,
      store: upstreamIntake(database.pool, sources, log),
    }),
    bulkWork({ ...work, ...database, retentionDays: config.retentionDays }),
    importWork({ ...work, ...database, resume: resumeLocked, retentionDays: config.retentionDays }),
    storageWork(storage, log),
    notificationWork({ ...work, pool: database.pool, retentionDays: config.retentionDays, mail }),
    generationWork({
      ...{ database, outbound, budget, log, timing, providers, storage },
      ...{ retentionDays: config.retentionDays, budgetOfJob: config.budgetOfJob },
      deliver: ownIntake(log),
      steps: jobSteps,
    }),
  ])
  if (config.role === 'worker') await startDeliveries()
  const metrics = createMetrics()
  measureBytes(metrics, budget)
  observe(metrics, { pool: database.pool, role: config.role })
  const metricsUrl = await serveMetrics(config, { database, metrics, log, checks }, started)
  if (config.role === 'worker') return { url: undefined, metricsUrl }
  // Before it serves: a chosen key opens Galley from the first answer on.
  if (config.adminKey !== undefined) await takeAdminKey(database, config.adminKey, log)
  const intake = createIntake(database.pool, keyring, log)
  const server = createHttpServer(config)
  const url = await listen(server, config)
  started.push({ name: 'the HTTP server', stop: (deadline) => close(server, deadline) })
  if (config.port === 0 && config.publicUrl.endsWith(':0')) publicUrl = url
  const streams = new Streams({ pool: database.pool, log, most: Math.ceil(config.maxConnections / 2) })
  // They end before the server, which waits for what is still being answered.
  started.push({ name: 'the streams', hush: () => streams.close(), stop: () => streams.stop() })
  const parts = {
    log,
    database,
    keyring,
    outbound,
    budget,
    intake,
    storage,
    styles: createStylesOfSites(outbound, budget.documents),
    providers,
    metrics,
    checks,
    streams,
  }
  server.on('request', createListener({ config: { ...config, publicUrl }, ...parts }))
  // From here on webhooks are stored, whatever delivers them; that takes a fifth of a start.
  if (config.role === 'all') await startDeliveries()
  // Last of all: a start that fails, for a port that is taken, must not have shown a key that is never shown again.
  if (config.adminKey === undefined)
    started.push({ name: 'the first key', stop: await showFirstKey(database, show) })
  return { url, metricsUrl }
}

/**
 * What delivers, to be started with the function it returns. It has its place among what is stopped before: what serves,
 * which may be started earlier, ends first.
 */
function prepareJobs(
  options: JobRunnerOptions,
  started: Part[],
  checks: ReadinessCheck[],
  workers: () => Worker[],
): () => Promise<void> {
  let runner: JobRunner | undefined
  started.push({
    name: 'the deliveries',
    hush: () => runner?.hush(),
    stop: async (deadline) => runner?.stop(deadline),
  })
  return async () => {
    runner = await startJobs(options, workers())
    checks.push(runner.problem)
  }
}

async function serveMetrics(
  { metricsAddress }: Config,
  services: Parameters<typeof startHealthServer>[0],
  started: Part[],
): Promise<string | undefined> {
  if (metricsAddress === undefined) return undefined
  const { url, stop } = await startHealthServer(services, metricsAddress)
  started.push({ name: 'the health port', stop })
  return url
}
