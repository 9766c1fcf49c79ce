import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Logger, runMigrations } from 'graphile-worker'
import type { ClientBase } from 'pg'
import { GalleyError, operatorError } from '../errors.ts'
import { pluralize } from '../lib/text.ts'
import { packageRoot, VERSION } from '../lib/version.ts'
import { CONNECT_TIMEOUT_MS, type DatabaseLog, openPool, openSession } from './client.ts'
import { isInsufficientPrivilege } from './errors.ts'
import { acquireAdvisoryLock, advisoryLocks, type Queryable } from './transaction.ts'

// Migrations in Prisma's format, recorded as `prisma migrate deploy` does, so that Prisma's commands work too.

export const migrationsFolder: string = join(packageRoot, 'prisma/migrations')

export async function migrationNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}

const HISTORY = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id                  VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum            VARCHAR(64) NOT NULL,
  finished_at         TIMESTAMPTZ,
  migration_name      VARCHAR(255) NOT NULL,
  logs                TEXT,
  rolled_back_at      TIMESTAMPTZ,
  started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`

/** As Prisma computes it: SHA-256 of the file's bytes, in hexadecimal. */
const checksumOf = (sql: Buffer): string => createHash('sha256').update(sql).digest('hex')

/** In one transaction; the caller holds the lock. @throws DatabaseError of the migration that failed */
export async function applyMigrations(session: ClientBase, folder: string, names: readonly string[]) {
  await session.query('BEGIN')
  await session.query(HISTORY)
  for (const name of names) {
    const sql = await readFile(join(folder, name, 'migration.sql'))
    const startedAt = new Date()
    // Without parameters PostgreSQL takes several statements at once.
    await session.query(sql.toString('utf8'))
    await session.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, $4, clock_timestamp(), 1)`,
      [randomUUID(), checksumOf(sql), name, startedAt],
    )
  }
  await session.query('COMMIT')
}

interface Recorded {
  name: string
  finished: boolean
}

/** Those that a database lacks. @throws GalleyError `database_newer`, `migration_unfinished` */
export async function missingMigrations(session: ClientBase, folder: string): Promise<string[]> {
  const recorded = await history(session)
  const unfinished = recorded.filter(({ finished }) => !finished).map(({ name }) => name)
  if (unfinished.length > 0) throw halfApplied(session, unfinished)
  const applied = new Set(recorded.map(({ name }) => name))
  const known = await migrationNames(folder)
  const unknown = [...applied].filter((name) => !known.includes(name))
  if (unknown.length > 0) throw newer(session, unknown)
  return known.filter((name) => !applied.has(name))
}

/** Those that a database has, finished or not; none of one that was never migrated. */
async function history(database: Queryable): Promise<Recorded[]> {
  const { rows: found } = await database.query<{ there: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS there`,
  )
  if (!found[0]?.there) return []
  const { rows } = await database.query<Recorded>(
    `SELECT migration_name AS name, finished_at IS NOT NULL AS finished FROM _prisma_migrations
     WHERE rolled_back_at IS NULL ORDER BY migration_name`,
  )
  return rows
}

/** The migrations that a database has, by name. */
export async function appliedMigrations(database: Queryable): Promise<string[]> {
  return (await history(database)).filter(({ finished }) => finished).map(({ name }) => name)
}

const nameOf = (session: ClientBase): string => {
  const { database, host } = session as ClientBase & { database: string; host: string }
  return `"${database}" at ${host}`
}

const newer = (session: ClientBase, unknown: string[]) =>
  operatorError(
    'database_newer',
    `The database ${nameOf(session)} was changed by a newer Galley than this one, which is ${VERSION} and does not know ` +
      `${unknown.length === 1 ? 'its migration' : 'its migrations'} ${unknown.join(', ')}. Nothing was done. ` +
      'Start the newer version again, or restore the backup from before the upgrade.',
  )

const halfApplied = (session: ClientBase, unfinished: string[]) =>
  operatorError(
    'migration_unfinished',
    `In the database ${nameOf(session)}, the migration ${unfinished.join(', ')} was started and never finished, so how far it came is unknown. ` +
      'Galley applies its migrations whole or not at all: something else has. Restore a backup, or put the schema right by hand and ' +
      'mark it with: npx prisma migrate resolve',
  )

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
