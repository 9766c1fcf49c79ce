import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Pool } from 'pg'
import { pino } from 'pino'
import { removeCluster } from '../src/database/embedded/remove.ts'
import { startEmbedded } from '../src/database/embedded/start.ts'
import { noFilters, openSchemaEngine } from '../src/database/schema-engine.ts'

export const schemaFile = fileURLToPath(new URL('../prisma/schema.prisma', import.meta.url))

/**
 * The schema that the newest migration led to. The difference is taken from this file, and not from what the
 * migrations make of a database: they may hold what Prisma's language cannot say (a partial index, a check), which
 * Prisma would otherwise remove again.
 */
export const migratedSchemaFile = fileURLToPath(new URL('../prisma/migrated.prisma', import.meta.url))

/** What Prisma writes instead of nothing. */
const empty = '-- This is an empty migration.'

/** The SQL that leads from one schema file to another; undefined where they ask for the same tables. */
export async function schemaDifferences(from: string, to: string): Promise<string | undefined> {
  const dataDir = await mkdtemp(join(tmpdir(), 'galley-migration-'))
  // The engine wants a database to talk to, though it compares only the files.
  const database = await startEmbedded({ dataDir, log: pino({ level: 'warn' }) })
  const pool = new Pool({ connectionString: database.connectionString, max: 1 })
  const datamodel = async (path: string) => ({
    tag: 'schemaDatamodel' as const,
    files: [{ path, content: await readFile(path, 'utf8') }],
  })
  try {
    const engine = await openSchemaEngine({ main: pool })
    const { stdout } = await engine.diff({
      from: await datamodel(from),
      to: await datamodel(to),
      script: true,
      exitCode: null,
      filters: noFilters,
    })
    const sql = stdout?.trim() ?? ''
    return sql === '' || sql === empty ? undefined : `${sql}\n`
  } finally {
    await pool.end()
    await database.stop()
    await removeCluster(join(dataDir, 'postgres'))
    await rm(dataDir, { recursive: true })
  }
}
