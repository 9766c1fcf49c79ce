import { GalleyError } from '../errors.ts'
import { type Database, type DatabaseLog, openDatabase } from './client.ts'
import { attachEmbedded, startEmbedded } from './embedded/start.ts'
import { migrate } from './migrate.ts'

/**
 * Opens Galley's database for one piece of work, beside a Galley that may be running on it.
 *
 * @throws GalleyError as {@link startEmbedded} and {@link migrate} do
 */
export const withDatabase = (
  place: DatabaseLocation,
  log: DatabaseLog,
  work: (database: Database) => Promise<void>,
): Promise<void> =>
  withDatabaseServer(place, log, async (connectionString) => {
    await migrate({ connectionString, log })
    const database = openDatabase({ connectionString, poolSize: 2, log })
    await work(database).finally(() => database.close())
  })

/** The operator's server, or the embedded one of a data folder. */
export interface DatabaseLocation {
  databaseUrl: string | undefined
  dataDir: string
}

/**
 * Keeps the server up for one piece of work, whatever its database holds; starts the embedded one
 * where no Galley runs it.
 *
 * @throws GalleyError as {@link startEmbedded} does
 */
export async function withDatabaseServer<Result>(
  { databaseUrl, dataDir }: DatabaseLocation,
  log: DatabaseLog,
  work: (connectionString: string) => Promise<Result>,
): Promise<Result> {
  if (databaseUrl !== undefined) return work(databaseUrl)
  const server = await withEmbeddedServer(dataDir, log)
  return work(server.connectionString).finally(() => server.stop())
}

async function withEmbeddedServer(
  dataDir: string,
  log: DatabaseLog,
): Promise<{ connectionString: string; stop(): Promise<void> }> {
  try {
    return await startEmbedded({ dataDir, log })
  } catch (error) {
    if (!(error instanceof GalleyError && error.code === 'data_folder_in_use')) throw error
    return { connectionString: await attachEmbedded(dataDir, log), stop: async () => undefined }
  }
}
