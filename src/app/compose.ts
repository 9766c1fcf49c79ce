import { auditWork } from '../accounts/audit.ts'
import { installAdminKey, type RevealKey, revealFirstKey } from '../accounts/operator-keys.ts'
import { backfillWork } from '../backfill/work.ts'
import { bulkWork } from '../bulk/run.ts'
import { createByteBudget, registerByteMetrics } from '../bytes/budget.ts'
import { changeWork } from '../changes/change-log.ts'
import { ChangeStreams } from '../changes/streams.ts'
import type { Config } from '../config/config.ts'
import { type Database, openDatabase } from '../database/client.ts'
import { migrate } from '../database/migrations.ts'
import { resumeLockedSite, resumeSite } from '../delivery/ledger/outage.ts'
import { createSiteStylesCache } from '../delivery/preview/preview.ts'
import { checkAndRecord } from '../delivery/site-worker/check.ts'
import { deliveryWork } from '../delivery/work.ts'
import type { GalleyError } from '../errors.ts'
import { createProviders } from '../generation/providers/registry.ts'
import { createStorage, storageWork, storedFileFinder } from '../generation/storage/storage.ts'
import { generationWork, jobSteps } from '../generation/work.ts'
import { createListener } from '../http/app.ts'
import { startHealthServer } from '../http/health.ts'
import { createMetrics } from '../http/request-telemetry.ts'
import { close, createHttpServer, listen } from '../http/server.ts'
import type { ReadinessCheck } from '../http/services.ts'
import { idempotencyWork } from '../idempotency/idempotency.ts'
import { internalIntake, upstreamIntake } from '../intake/direct.ts'
import { createIntake } from '../intake/receive.ts'
import type { Timing } from '../jobs/heartbeat.ts'
import { type JobRunner, startJobs } from '../jobs/runner.ts'
import { userAgent } from '../lib/version.ts'
import type { Logger } from '../log/log.ts'
import { notificationWork } from '../notifications/work.ts'
import { registerMetrics } from '../observe/backlog.ts'
import { storedSecrets } from '../operations/sealed-columns.ts'
import { createOutbound } from '../outbound/outbound.ts'
import { checkKeys, type KeyCheck, keyMismatchError, withKeyCheck } from '../secrets/check-keys.ts'
import { loadKeyring } from '../secrets/key-file.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { sitesReadableAgain } from '../sites/connection.ts'
import { healthWork } from '../sites/health/check-site.ts'
import { registerSiteMetrics } from '../sites/health/state.ts'
import { importWork } from '../sites/import-job/work.ts'
import { sourceWork } from '../sources/removal.ts'
import { SourceLookup } from '../sources/sender.ts'
import { createUpstreamClient } from '../upstream/ask.ts'
import type { StoppablePart } from './galley.ts'

/** Connections for intake, site workers and the API together; a transaction holds one for milliseconds. */
const POOL_SIZE = 20

export interface ListenAddresses {
  url: string | undefined
  /** Where else health and metrics are; undefined for nowhere. */
  metricsUrl: string | undefined
}

interface ComposeOptions {
  config: Config
  connectionString: string
  log: Logger
  onLost: (error: GalleyError) => void
  timing: Timing
  show: RevealKey
}

/** What Galley is made of, each part started after those that it needs. @param started gets them, the newest last */
export async function compose(
  { config, connectionString, log, onLost, timing, show }: ComposeOptions,
  started: StoppablePart[],
): Promise<ListenAddresses> {
  await migrate({ connectionString, log })
  const database = openDatabase({ connectionString, poolSize: POOL_SIZE, log })
  started.push({ name: 'the database connections', stop: () => database.close() })
  if (config.tracesUrl !== undefined) {
    const { startTracing } = await import('../observe/otlp.ts')
    const tracing = await startTracing({ endpoint: config.tracesUrl, role: config.role }, log)
    started.push({ name: 'the traces', stop: () => tracing.stop() })
  }
  const secretKeys = await verifySecretKeys(database, await loadKeyring(config), log)
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
  const askUpstream = createUpstreamClient({ pool: database.pool, outbound, keyring, budget, timing })
  const work = { keyring, outbound, log, timing }
  // Most installations send none.
  const mailer = config.mail && (await import('../notifications/mail/mailer.ts'))
  const mail = config.mail && mailer?.createMailer(config.mail, () => publicUrl, log)
  const mailOwner = config.mail && mailer?.createComposedMailer(config.mail, log)
  let runner: JobRunner | undefined
  // What serves may be started earlier, and ends first.
  started.push({
    name: 'the deliveries',
    stopAccepting: () => runner?.stopAccepting(),
    stop: async (deadline) => runner?.stop(deadline),
  })
  const jobs = { pool: database.pool, log, timing, onLost, cutOff: () => outbound.close() }
  const startDeliveries = async () => {
    runner = await startJobs(jobs, [
      deliveryWork({
        ...work,
        database,
        budget,
        findStored,
        askUpstream,
        retentionDays: config.retentionDays,
      }),
      healthWork({ log, check: (site) => checkAndRecord({ ...work, ...database }, site) }),
      sourceWork(database),
      idempotencyWork(database.pool),
      changeWork(database.pool),
      auditWork(database.pool),
      backfillWork({
        pool: database.pool,
        askUpstream,
        timing,
        store: upstreamIntake(database.pool, sources, log),
      }),
      bulkWork({ ...work, ...database, publicUrl, mail: mailOwner, retentionDays: config.retentionDays }),
      importWork({ ...work, ...database, resume: resumeLockedSite, retentionDays: config.retentionDays }),
      storageWork(storage, log),
      notificationWork({
        ...work,
        pool: database.pool,
        retentionDays: config.retentionDays,
        mail,
        publicUrl: () => publicUrl,
      }),
      generationWork({
        ...{ database, outbound, budget, log, timing, providers, storage },
        ...{ retentionDays: config.retentionDays, budgetOfJob: config.budgetOfJob },
        deliver: internalIntake(log),
        steps: jobSteps,
      }),
    ])
    checks.push(runner.problem)
  }
  if (config.role === 'worker') await startDeliveries()
  const metrics = createMetrics()
  registerByteMetrics(metrics, budget)
  registerMetrics(metrics, { pool: database.pool, role: config.role })
  registerSiteMetrics(metrics, database.pool)
  let metricsUrl: string | undefined
  if (config.metricsAddress !== undefined) {
    const health = await startHealthServer({ database, metrics, log, checks }, config.metricsAddress)
    metricsUrl = health.url
    started.push({ name: 'the health port', stop: health.stop })
  }
  if (config.role === 'worker') return { url: undefined, metricsUrl }
  // Before it serves: a chosen key opens Galley from the first answer on.
  if (config.adminKey !== undefined) await installAdminKey(database, config.adminKey, log)
  const intake = createIntake(database.pool, keyring, log)
  const server = createHttpServer(config)
  const url = await listen(server, config)
  started.push({ name: 'the HTTP server', stop: (deadline) => close(server, deadline) })
  if (config.port === 0 && config.publicUrl.endsWith(':0')) publicUrl = url
  const streams = new ChangeStreams({ pool: database.pool, log, most: Math.ceil(config.maxConnections / 2) })
  // They end before the server, which waits for what is still being answered.
  started.push({ name: 'the streams', stopAccepting: () => streams.close(), stop: () => streams.stop() })
  const parts = {
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
    checks,
    streams,
    mail: mailOwner,
  }
  server.on('request', createListener({ config: { ...config, publicUrl }, ...parts }))
  // From here on webhooks are stored, whatever delivers them; that takes a fifth of a start.
  if (config.role === 'all') await startDeliveries()
  // Last of all: a start that fails, for a port that is taken, must not have shown a key that is never shown again.
  if (config.adminKey === undefined)
    started.push({ name: 'the first key', stop: await revealFirstKey(database, show) })
  return { url, metricsUrl }
}

/** Between two looks while the keys do not fit, in milliseconds: a secret may be entered again meanwhile. */
const RECHECK_KEYS_MS = 10_000

/** Galley starts with keys that do not fit, too: what needs a secret waits or is a 503, and unsigned webhooks are taken in. */
async function verifySecretKeys({ pool }: Pick<Database, 'pool'>, keyring: Keyring, log: Logger) {
  const look = async (): Promise<KeyCheck> => checkKeys(await storedSecrets(pool, keyring))
  let keyCheck = await look()
  let lookedAt = performance.now()
  const found = keyMismatchError(keyCheck)
  if (found) log.error({ code: found.code }, found.message)
  if (keyCheck.damaged > 0)
    log.warn(
      `${keyCheck.damaged} stored secrets cannot be read, though their key is right: they were moved or damaged. Enter them again where a site or a source says so.`,
    )
  for (const site of await sitesReadableAgain(pool, keyring)) {
    const resumed = await resumeSite(pool, site)
    log.info({ site: site.id, resumed }, 'the password of this site can be read again')
  }
  return {
    keyring: withKeyCheck(keyring, () => keyCheck),
    async problem() {
      if (keyCheck.mismatches.length > 0 && performance.now() - lookedAt > RECHECK_KEYS_MS) {
        lookedAt = performance.now()
        keyCheck = await look()
      }
      return keyMismatchError(keyCheck)
    },
  }
}
