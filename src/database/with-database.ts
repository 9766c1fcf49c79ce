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
export const withDatabase = (
  place: DatabasePlace,
  log: Log,
  work: (database: Database) => Promise<void>,
): Promise<void> =>
  withServer(place, log, async (connectionString) => {
    await migrate({ connectionString, log })
    const database = openDatabase({ connectionString, poolSize: 2, log })
    await work(database).finally(() => database.close())
  })

/** Where the database is: a server of the operator's, or the embedded one of a data folder. */
export interface DatabasePlace {
  databaseUrl: string | undefined
  dataDir: string
}

/**
 * Has the server up for one piece of work, whatever is in its database: the embedded one is started, where no Galley
 * that runs has it.
 *
 * @throws GalleyError as {@link startEmbedded} does
 */
export async function withServer<Result>(
  { databaseUrl, dataDir }: DatabasePlace,
  log: Log,
  work: (connectionString: string) => Promise<Result>,
): Promise<Result> {
  if (databaseUrl !== undefined) return work(databaseUrl)
  const server = await ownServer(dataDir, log)
  return work(server.connectionString).finally(() => server.stop())
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
