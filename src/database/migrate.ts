import { Logger, runMigrations } from 'graphile-worker'
import { GalleyError, operatorError } from '../errors.ts'
import { pluralize } from '../lib/text.ts'
import { acquireAdvisoryLock, advisoryLocks } from './advisory-lock.ts'
import { CONNECT_TIMEOUT_MS, type DatabaseLog, openPool, openSession } from './client.ts'
import { isInsufficientPrivilege } from './errors.ts'
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

/**
 * Brings a database to this version's schema: Galley's tables by prisma/migrations, the job queue's by
 * graphile-worker's. Several processes may call it at once; one works, the others wait.
 * @returns names of the migrations applied now
 * @throws GalleyError `database_unreachable`, `database_newer`, `migration_unfinished`, `migration_failed`
 */
export async function migrate({ connectionString, log, folder, only }: MigrateOptions): Promise<string[]> {
  const session = await openSession(connectionString, 'galley, migrating')
  try {
    if (!(await acquireAdvisoryLock(session, advisoryLocks.migrations, patience)))
      throw new GalleyError({
        code: 'migration_failed',
        message:
          `Another process has been migrating the database "${session.database}" at ${session.host} for ${pluralize(patience / 60_000, 'minute')}. ` +
          'Let it finish, or stop it, and start Galley again.',
        action: 'retry',
      })
    const from = folder ?? migrationsFolder
    const missing = (await missingMigrations(session, from)).filter((name) => only?.has(name) ?? true)
    if (missing.length > 0)
      await applyMigrations(session, from, missing).catch((cause: unknown) => {
        throw migrationFailed(
          'The database could not be brought up to this version of Galley, and was left as it was',
          cause,
        )
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
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  try {
    await runMigrations({ pgPool: pool, logger })
  } catch (cause) {
    throw migrationFailed(
      'The tables of the job queue (the schema graphile_worker) could not be brought up to this version of Galley',
      cause,
    )
  } finally {
    await pool.end()
  }
}

const migrationFailed = (what: string, cause: unknown): GalleyError =>
  operatorError(
    'migration_failed',
    `${what}: ${cause instanceof Error ? cause.message : String(cause)}${rightsAdvice(cause)}`,
    cause,
  )

const rightsAdvice = (cause: unknown): string =>
  isInsufficientPrivilege(cause)
    ? '. Give the user of DATABASE_URL the right to create tables and schemas there: GRANT CREATE ON DATABASE … TO …; GRANT CREATE, USAGE ON SCHEMA public TO …'
    : ''
