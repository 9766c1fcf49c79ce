import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg'
import { packageRoot } from '../package-root.ts'

export const migrationsFolder: string = join(packageRoot, 'prisma/migrations')

/** The migrations of a folder, oldest first. */
export async function migrationNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}

/** The same as the schema engine wants them. */
export async function readMigrations(folder: string, only?: ReadonlySet<string>): Promise<MigrationList> {
  const names = (await migrationNames(folder)).filter((name) => only?.has(name) ?? true)
  return {
    baseDir: folder,
    lockfile: {
      path: 'migration_lock.toml',
      content: await readFile(join(folder, 'migration_lock.toml'), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: await Promise.all(
      names.map(async (name) => ({
        path: name,
        migrationFile: {
          path: 'migration.sql',
          content: {
            tag: 'ok' as const,
            value: await readFile(join(folder, name, 'migration.sql'), 'utf8'),
          },
        },
      })),
    ),
  }
}
