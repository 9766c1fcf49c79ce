import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { pino } from 'pino'
import { startEmbedded } from '../../src/database/embedded/start.ts'
import { migrate } from '../../src/database/migrations.ts'
import { removeDataDir } from '../../test/support/database/data-folder.ts'

/** An embedded PostgreSQL of a benchmark's own, as Galley starts it: with real fsync. */
export interface Postgres {
  /** For what else the benchmark writes; gone with it. */
  folder: string
  /** Makes a database with Galley's schema. @returns its connection string */
  database(): Promise<string>
}

/** Starts a PostgreSQL for `work`, and removes all of it afterwards. */
export async function withPostgres<T>(work: (postgres: Postgres) => Promise<T>): Promise<T> {
  const log = pino({ level: 'warn' }, pino.destination(2))
  const folder = await mkdtemp(join(tmpdir(), 'galley-bench-'))
  const server = await startEmbedded({ dataDir: folder, log })
  const made: string[] = []
  try {
    await migrate({ connectionString: server.connectionString, log })
    const database = async () => {
      const name = `bench_${made.length + 1}`
      made.push(name)
      await administer(server.connectionString, `create database ${name} template galley`)
      return withDatabase(server.connectionString, name)
    }
    return await work({ folder, database })
  } finally {
    // This waits for sessions that are about to end; a stop ends them by force, an error in a pool just closed.
    for (const name of made)
      await administer(server.connectionString, `drop database ${name}`).catch(() => undefined)
    await server.stop()
    await removeDataDir(folder)
  }
}

function withDatabase(connectionString: string, name: string): string {
  const url = new URL(connectionString)
  url.pathname = `/${name}`
  return url.href
}

async function administer(connectionString: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: withDatabase(connectionString, 'postgres') })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
