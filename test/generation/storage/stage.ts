import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { createAccount } from '../../../src/accounts/accounts.ts'
import { type Database, openDatabase } from '../../../src/database/client.ts'
import { createStorage, type StorageOptions } from '../../../src/generation/storage/storage.ts'
import { freshDatabase } from '../../support/database/fresh-database.ts'

export const PUBLIC_URL = 'http://127.0.0.1:8080'

/** A storage of a test's own: a folder, a database, an account. */
export interface StorageStage {
  storage: ReturnType<typeof createStorage>
  database: Database
  connectionString: string
  dataDir: string
  accountId: string
  stop(): Promise<void>
}

export async function startStorage(options: Partial<StorageOptions> = {}): Promise<StorageStage> {
  const { connectionString, drop } = await freshDatabase()
  const database = openDatabase({ connectionString, poolSize: 5, log: pino({ level: 'silent' }) })
  const dataDir = await mkdtemp(join(tmpdir(), 'galley-files-'))
  const { account } = await createAccount(database.pool, { name: 'Owner' })
  const { pool } = database
  return {
    storage: createStorage({ pool, dataDir, publicUrl: () => PUBLIC_URL, days: 30, ...options }),
    database,
    connectionString,
    dataDir,
    accountId: account.id,
    async stop() {
      await database.close()
      await drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
