import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { migrate } from '../../../src/database/index.ts'
import { migrationsFolder } from '../../../src/database/migration-files.ts'

/** Every migration, the oldest first. */
export const migrations: readonly string[] = readdirSync(migrationsFolder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort()

/** Every schema that there was before the newest, by the last of its migrations. */
export const earlierSchemas: readonly string[] = migrations.slice(0, -1)

/** Of these, the ones whose next migration changes what a document that waits consists of. */
export const schemasOfWaiting: readonly string[] = earlierSchemas.filter((_, index) => {
  const sql = readFileSync(join(migrationsFolder, migrations[index + 1] as string, 'migration.sql'), 'utf8')
  return /^(?:ALTER TABLE|UPDATE) "(?:delivery|event|site|source|account)"|graphile_worker/m.test(sql)
})

/** Brings an empty database to a schema as it was: to this migration, and no further. */
export async function migrateTo(connectionString: string, last: string): Promise<void> {
  const only = new Set(migrations.filter((name) => name <= last))
  await migrate({ connectionString, log: pino({ level: 'silent' }), only })
}
