import type { Pool } from 'pg'
import { migrationNames, migrationsFolder } from '../../database/migrations.ts'
import { checkKeys, type KeyringSettings, keyMismatchError, loadKeyring } from '../../secrets/index.ts'
import { counted } from '../../text.ts'
import { migrationsOf } from '../backup/tables.ts'
import { storedSecrets } from '../secrets/columns.ts'
import { type Finding, ok, problem, warning } from './findings.ts'

/** How far the two clocks may be apart, in seconds: signed notifications are refused beyond five minutes. */
const CLOCKS_APART_S = 10

/** Seconds that something may be due without a process that takes it. */
const WAITING_S = 120

/** Milliseconds within which a process that works says that it lives, twice over. */
const BEAT = '60 seconds'

/** What the database says of itself, of its schema, and of what waits in it. */
export async function databaseFindings(pool: Pool, settings: KeyringSettings): Promise<Finding[]> {
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
    apart <= CLOCKS_APART_S
      ? ok('clock', 'The clocks of this machine and of the database agree.')
      : problem(
          'clock',
          `The clocks of this machine and of the database are ${counted(apart, 'second')} apart. Set both by NTP.`,
        ),
    schema,
  ]
  if (schema.level !== 'ok') return found
  return [...found, await keysFinding(pool, settings), await queueFinding(pool)]
}

async function schemaFinding(pool: Pool): Promise<Finding> {
  const known = await migrationNames(migrationsFolder)
  const { rows } = await pool.query(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS there`)
  const applied = rows[0].there ? await migrationsOf(pool) : []
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
      `The database lacks ${counted(missing.length, 'migration')} of this version; the next start brings it up to date.`,
    )
  return ok('schema', `The schema is that of this version (${applied.at(-1)}).`)
}

async function keysFinding(pool: Pool, settings: KeyringSettings): Promise<Finding> {
  const keyCheck = checkKeys(await storedSecrets(pool, await loadKeyring(settings)))
  const found = keyMismatchError(keyCheck)
  if (found) return problem('secret keys', found.message)
  if (keyCheck.damaged > 0)
    return warning(
      'secret keys',
      `${counted(keyCheck.damaged, 'stored secret')} cannot be read, though the key is right: enter what a site or a source asks for again.`,
    )
  return ok('secret keys', 'The secret keys read everything that is stored.')
}

async function queueFinding(pool: Pool): Promise<Finding> {
  const { rows } = await pool.query<{ waiting: number; seconds: number; alive: number }>(
    `SELECT count(*)::int AS waiting, coalesce(extract(epoch FROM now() - min(due_at)), 0)::int AS seconds,
       (SELECT count(*)::int FROM worker_process WHERE beat_at > now() - interval '${BEAT}') AS alive
     FROM delivery WHERE due_at < now() AND status = 'queued'`,
  )
  const { waiting, seconds, alive } = rows[0] as { waiting: number; seconds: number; alive: number }
  if (alive === 0)
    return warning(
      'queue',
      `No process delivers at the moment; ${counted(waiting, 'delivery', 'deliveries')} wait.`,
    )
  if (seconds > WAITING_S)
    return warning(
      'queue',
      `The oldest of ${counted(waiting, 'due delivery', 'due deliveries')} waits for ${counted(Math.round(seconds / 60), 'minute')}: add workers, or look at the sites it is for.`,
    )
  return ok('queue', `The queue moves; ${counted(alive, 'process', 'processes')} work.`)
}
