import { GalleyError } from '../errors.ts'
import { type Database, openDatabase } from './client.ts'
import { attachEmbedded } from './embedded/attach.ts'
import { startEmbedded } from './embedded/start.ts'
import type { Log } from './log.ts'
import { migrate } from './migrate.ts'

/**
 * Opens Galley's database for one piece of work and closes it again, beside a Galley that may be running on it.
 *
 * @throws GalleyError as {@link startEmbedded} and {@link migrate} do
 */
export async function withDatabase(
  { databaseUrl, dataDir }: { databaseUrl: string | undefined; dataDir: string },
  log: Log,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const server = databaseUrl === undefined ? await ownServer(dataDir, log) : undefined
  try {
    const connectionString = databaseUrl ?? (server?.connectionString as string)
    await migrate({ connectionString, log })
    const database = openDatabase({ connectionString, poolSize: 2, log })
    await work(database).finally(() => database.close())
  } finally {
    await server?.stop()
  }
}

async function ownServer(
  dataDir: string,
  log: Log,
): Promise<{ connectionString: string; stop(): Promise<void> }> {
  try {
    return await startEmbedded({ dataDir, log })
  } catch (error) {
    if (!(error instanceof GalleyError && error.code === 'data_folder_in_use')) throw error
    return { connectionString: await attachEmbedded(dataDir, log), stop: async () => undefined }
  }
}
