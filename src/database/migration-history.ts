import type { ClientBase } from 'pg'
import { GalleyError } from '../errors.ts'
import { VERSION } from '../version.ts'
import { migrationNames } from './migration-files.ts'

/** A migration as Prisma has written it down. */
interface Recorded {
  name: string
  finished: boolean
}

/**
 * The migrations of a folder that a database has not seen. Refuses one that this version must not work on: one that a
 * newer version has changed, whose rules this one does not know, and one in which a migration was begun and not ended.
 *
 * @throws GalleyError `database_newer`, `migration_unfinished`
 */
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

async function history(session: ClientBase): Promise<Recorded[]> {
  const { rows: found } = await session.query(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS there`)
  if (!found[0].there) return []
  const { rows } = await session.query<Recorded>(
    `SELECT migration_name AS name, finished_at IS NOT NULL AS finished FROM _prisma_migrations
     WHERE rolled_back_at IS NULL ORDER BY migration_name`,
  )
  return rows
}

const nameOf = (session: ClientBase): string => {
  const { database, host } = session as ClientBase & { database: string; host: string }
  return `"${database}" at ${host}`
}

const newer = (session: ClientBase, unknown: string[]) =>
  new GalleyError({
    code: 'database_newer',
    action: 'owner',
    message:
      `The database ${nameOf(session)} was changed by a newer Galley than this one, which is ${VERSION} and does not know ` +
      `${unknown.length === 1 ? 'its migration' : 'its migrations'} ${unknown.join(', ')}. Nothing was done. ` +
      'Start the newer version again, or restore the backup from before the upgrade.',
  })

const halfApplied = (session: ClientBase, unfinished: string[]) =>
  new GalleyError({
    code: 'migration_unfinished',
    action: 'owner',
    message:
      `In the database ${nameOf(session)}, the migration ${unfinished.join(', ')} was started and never finished, so how far it came is unknown. ` +
      'Galley applies its migrations whole or not at all: something else has. Restore a backup, or put the schema right by hand and ' +
      'mark it with: npx prisma migrate resolve',
  })
