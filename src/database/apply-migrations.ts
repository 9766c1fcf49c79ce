import { readMigrations } from './migration-files.ts'
import { openPool } from './pool.ts'
import { noFilters, openSchemaEngine } from './schema-engine.ts'

/**
 * Applies all migrations that are missing, or none: one that fails, or a process that dies, leaves the schema as it was.
 *
 * @param only no others than these
 * @returns their names
 * @throws what the migration's own SQL failed with, where it did
 */
export async function applyMigrations(
  connectionString: string,
  folder: string,
  only?: ReadonlySet<string>,
): Promise<string[]> {
  const pool = openPool({
    connectionString,
    max: 1,
    idleTimeoutMillis: 0,
    application_name: 'galley, migrating',
  })
  let scriptError: unknown
  try {
    const engine = await openSchemaEngine({
      main: pool,
      onScriptError: (error) => {
        scriptError = error
      },
    })
    try {
      await pool.query('begin')
      const { appliedMigrationNames } = await engine.applyMigrations({
        migrationsList: await readMigrations(folder, only),
        filters: noFilters,
      })
      await pool.query('commit')
      return appliedMigrationNames
    } finally {
      engine.free()
    }
  } catch (error) {
    throw scriptError ?? error
  } finally {
    // Ends the session, and with it what was not committed.
    await pool.end()
  }
}
