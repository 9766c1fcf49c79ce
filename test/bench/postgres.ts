import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Postgres } from '../../bench/support/postgres.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

/** The PostgreSQL of the tests for `work`, in place of one of a benchmark's own. */
export async function withTestPostgres<T>(work: (postgres: Postgres) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'galley-bench-'))
  const made: FreshDatabase[] = []
  const database = async () => {
    const fresh = await freshDatabase()
    made.push(fresh)
    return fresh.connectionString
  }
  try {
    return await work({ folder, database })
  } finally {
    for (const one of made) await one.drop()
    await rm(folder, { recursive: true, force: true })
  }
}
