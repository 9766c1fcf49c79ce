import { Logger, runMigrations } from 'graphile-worker'
import { Client } from 'pg'
import { GalleyError } from '../errors.ts'
import { pluralize } from '../lib/text.ts'
import { acquireAdvisoryLock, advisoryLocks } from './advisory-lock.ts'
import { type DatabaseLog, openPool } from './client.ts'
import { databaseUnreachable, isInsufficientPrivilege } from './errors.ts'
import { applyMigrations, migrationsFolder, missingMigrations } from './migrations.ts'

interface MigrateOptions {
  /** Of a direct connection or a session pooler: the lock belongs to a session. */
  connectionString: string
  log: DatabaseLog
  folder?: string
  /** Apply only these: the schema of a backup. */
  only?: ReadonlySet<string>
}

/** Milliseconds to wait for another process that migrates the same database. */
const patience = 300_000

/** For a connection; the system would wait for minutes behind a firewall that drops packets. */
const CONNECTED_WITHIN_MS = 10_000

/**
 * Brings a database to this version's schema: Galley's tables by prisma/migrations, the job queue's
 * by graphile-worker's. Several processes may call it at once; one works, the others wait.
 *
 * @returns names of the migrations applied now
 * @throws GalleyError `database_unreachable`, `database_newer`, `migration_unfinished`,
 * `migration_failed`
 */
export async function migrate({ connectionString, log, folder, only }: MigrateOptions): Promise<string[]> {
  const session = new Client({
    connectionString,
    application_name: 'galley, migrating',
    connectionTimeoutMillis: CONNECTED_WITHIN_MS,
  })
  // A broken session fails its statement, or the release below.
  session.on('error', () => undefined)
  await session.connect().catch((cause: Error) => {
    throw databaseUnreachable(session, cause)
  })
  try {
    if (!(await acquireAdvisoryLock(session, advisoryLocks.migrations, patience))) throw locked(session)
    const from = folder ?? migrationsFolder
    const missing = (await missingMigrations(session, from)).filter((name) => only?.has(name) ?? true)
    if (missing.length > 0)
      await applyMigrations(session, from, missing).catch((cause: unknown) => {
        throw migrationFailed(cause)
      })
    for (const name of missing) log.info(`Applied the migration ${name}`)
    await migrateQueue(connectionString, log)
    return missing
  } finally {
    await session.end()
  }
}

async function migrateQueue(connectionString: string, log: DatabaseLog): Promise<void> {
  const logger = new Logger(() => (level, message) => {
    if (level === 'error') log.error(message)
    if (level === 'warning') log.warn(message)
  })
  // The worker's own pool would not wait for its connection to end.
  const pool = openPool({
    connectionString,
    max: 1,
    application_name: 'galley, migrating',
    connectionTimeoutMillis: CONNECTED_WITHIN_MS,
  })
  try {
    await runMigrations({ pgPool: pool, logger })
  } catch (cause) {
    throw queueFailed(cause)
  } finally {
    await pool.end()
  }
}

function locked({ host, database }: Client): GalleyError {
  return new GalleyError({
    code: 'migration_failed',
    message:
      `Another process has been migrating the database "${database}" at ${host} for ${pluralize(patience / 60_000, 'minute')}. ` +
      'Let it finish, or stop it, and start Galley again.',
    action: 'retry',
  })
}

/** The job queue's schema has a version of its own. */
const queueFailed = (cause: unknown): GalleyError =>
  new GalleyError({
    code: 'migration_failed',
    message: `The tables of the job queue (the schema graphile_worker) could not be brought up to this version of Galley: ${reasonOf(cause)}${rightsAdvice(cause)}`,
    action: 'owner',
    cause,
  })

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Advice for a database user who lacks rights. */
const rightsAdvice = (cause: unknown): string =>
  isInsufficientPrivilege(cause)
    ? '. Give the user of DATABASE_URL the right to create tables and schemas there: GRANT CREATE ON DATABASE … TO …; GRANT CREATE, USAGE ON SCHEMA public TO …'
    : ''

function migrationFailed(cause: unknown): GalleyError {
  return new GalleyError({
    code: 'migration_failed',
    message: `The database could not be brought up to this version of Galley, and was left as it was: ${reasonOf(cause)}${rightsAdvice(cause)}`,
    action: 'owner',
    cause,
  })
}
