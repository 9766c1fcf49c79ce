import { statfs } from 'node:fs/promises'
import type { Pool } from 'pg'
import { openPool, STATEMENT_TIMEOUT_MS } from '../database/client.ts'
import { appliedMigrations, migrationNames, migrationsFolder } from '../database/migrations.ts'
import { type DatabaseLocation, withDatabaseServer } from '../database/with-database.ts'
import { GalleyError, hasErrnoCode } from '../errors.ts'
import { pluralize, reasonOf } from '../lib/text.ts'
import { VERSION } from '../lib/version.ts'
import type { Logger } from '../log/log.ts'
import { readBacklog } from '../observe/backlog.ts'
import { checkKeys, keyMismatchError } from '../secrets/check-keys.ts'
import { type KeyringSettings, loadKeyring } from '../secrets/key-file.ts'
import { storedSecrets } from './sealed-columns.ts'

interface InstallationFinding {
  check: string
  level: 'ok' | 'warning' | 'problem'
  message: string
}

const finding =
  (level: InstallationFinding['level']) =>
  (check: string, message: string): InstallationFinding => ({ check, level, message })
const ok = finding('ok')
const warning = finding('warning')
const problem = finding('problem')

/** Seconds between the two clocks; signed notifications are refused beyond five minutes. */
const MAX_CLOCK_SKEW_S = 10

const MAX_QUEUE_WAIT_S = 120

async function databaseFindings(pool: Pool, settings: KeyringSettings): Promise<InstallationFinding[]> {
  const before = Date.now()
  const { rows } = await pool.query<{ version: string; at: Date; bytes: string }>(
    `SELECT current_setting('server_version') AS version, clock_timestamp() AS at,
       pg_database_size(current_database()) AS bytes`,
  )
  const now = rows[0] as { version: string; at: Date; bytes: string }
  const apart = Math.round(Math.abs((before + Date.now()) / 2 - now.at.getTime()) / 1000)
  const schema = await schemaFinding(pool)
  const found = [
    ok('database', `PostgreSQL ${now.version} answers and holds ${Math.ceil(Number(now.bytes) / 1e6)} MB.`),
    apart <= MAX_CLOCK_SKEW_S
      ? ok('clock', 'The clocks of this machine and of the database agree.')
      : problem(
          'clock',
          `The clocks of this machine and of the database are ${pluralize(apart, 'second')} apart. Set both by NTP.`,
        ),
    schema,
  ]
  if (schema.level !== 'ok') return found
  return [...found, await keysFinding(pool, settings), await queueFinding(pool)]
}

async function schemaFinding(pool: Pool): Promise<InstallationFinding> {
  const known = await migrationNames(migrationsFolder)
  const applied = await appliedMigrations(pool)
  const newer = applied.filter((name) => !known.includes(name))
  const missing = known.filter((name) => !applied.includes(name))
  if (newer.length > 0)
    return problem(
      'schema',
      `The database was changed by a newer Galley (${newer.join(', ')}). Start that version, or restore the backup from before the upgrade.`,
    )
  if (missing.length > 0)
    return warning(
      'schema',
      `The database lacks ${pluralize(missing.length, 'migration')} of this version; the next start brings it up to date.`,
    )
  return ok('schema', `The schema is that of this version (${applied.at(-1)}).`)
}

async function keysFinding(pool: Pool, settings: KeyringSettings): Promise<InstallationFinding> {
  const keyCheck = checkKeys(await storedSecrets(pool, await loadKeyring(settings)))
  const found = keyMismatchError(keyCheck)
  if (found) return problem('secret keys', found.message)
  if (keyCheck.damaged > 0)
    return warning(
      'secret keys',
      `${pluralize(keyCheck.damaged, 'stored secret')} cannot be read, though the key is right: enter what a site or a source asks for again.`,
    )
  return ok('secret keys', 'The secret keys read everything that is stored.')
}

async function queueFinding(pool: Pool): Promise<InstallationFinding> {
  const backlog = await readBacklog(pool)
  const { count: waiting = 0, oldestSeconds: seconds = 0 } =
    backlog.find(({ what, status }) => what === 'deliveries' && status === 'due') ?? {}
  const alive = backlog.find(({ what }) => what === 'processes')?.count ?? 0
  if (alive === 0)
    return warning(
      'queue',
      `No process delivers at the moment; ${pluralize(waiting, 'delivery is', 'deliveries are')} due.`,
    )
  if (seconds > MAX_QUEUE_WAIT_S)
    return warning(
      'queue',
      `The oldest of ${pluralize(waiting, 'due delivery', 'due deliveries')} has waited for ${pluralize(Math.round(seconds / 60), 'minute')}: add workers, or look at the sites it is for.`,
    )
  return ok('queue', `The queue moves; ${pluralize(alive, 'process is', 'processes are')} at work.`)
}

interface Installation extends DatabaseLocation {
  secretKeys: string | undefined
  publicUrl: string
}

const LOW_DISK_BYTES = 2e9
const FULL_DISK_BYTES = 2e8

const ADDRESS_TIMEOUT_MS = 5_000

export async function checkInstallation(installation: Installation, log: Logger) {
  return [
    ok('version', `Galley ${VERSION} on Node ${process.versions.node}.`),
    await diskFinding(installation.dataDir),
    ...(await checkDatabase(installation, log)),
    await addressFinding(installation.publicUrl),
  ]
}

async function checkDatabase(installation: Installation, log: Logger): Promise<InstallationFinding[]> {
  try {
    return await withDatabaseServer(installation, log, async (connectionString) => {
      const pool = openPool({
        connectionString,
        max: 1,
        connectionTimeoutMillis: 2 * ADDRESS_TIMEOUT_MS,
        query_timeout: STATEMENT_TIMEOUT_MS,
      })
      return databaseFindings(pool, installation).finally(() => pool.end())
    })
  } catch (error) {
    return [
      problem(
        'database',
        error instanceof GalleyError ? error.message : `It cannot be used: ${reasonOf(error as Error)}.`,
      ),
    ]
  }
}

async function diskFinding(dataDir: string): Promise<InstallationFinding> {
  try {
    const { bavail, bsize } = await statfs(dataDir)
    const free = bavail * bsize
    const text = `${(free / 1e9).toFixed(1)} GB are free where the data folder ${dataDir} is`
    if (free < FULL_DISK_BYTES) return problem('disk', `${text}: PostgreSQL stops when nothing is left.`)
    return free < LOW_DISK_BYTES ? warning('disk', `${text}, which is little.`) : ok('disk', `${text}.`)
  } catch (error) {
    if (hasErrnoCode(error, 'ENOENT'))
      return ok('disk', `The data folder ${dataDir} does not exist yet; it is created at the first start.`)
    return problem('disk', `The data folder ${dataDir} cannot be read: ${reasonOf(error as Error)}.`)
  }
}

async function addressFinding(publicUrl: string): Promise<InstallationFinding> {
  try {
    const { status } = await fetch(`${publicUrl}/healthz`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(ADDRESS_TIMEOUT_MS),
    })
    if (status === 200) return ok('address', `Galley answers at ${publicUrl}.`)
    return warning(
      'address',
      `${publicUrl} answers ${status}, and not as Galley: check PUBLIC_URL and the proxy.`,
    )
  } catch (error) {
    return warning(
      'address',
      `There is no answer from ${publicUrl} on this machine (${reasonOf(error as Error)}): start Galley, or check PUBLIC_URL and the proxy.`,
    )
  }
}
