import { setTimeout as sleep } from 'node:timers/promises'
import { GalleyError } from '../errors.ts'
import { type Database, type DatabaseLog, openDatabase } from './client.ts'
import { attachEmbedded, OVERLAP_MS, startEmbedded } from './embedded/start.ts'
import { migrate } from './migrations.ts'

/** Beside a running Galley, too. @throws GalleyError as {@link startEmbedded} and {@link migrate} do */
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

/** Starts the embedded server where no Galley runs it. @throws GalleyError as {@link startEmbedded} */
export async function withDatabaseServer<Result>(
  { databaseUrl, dataDir }: DatabaseLocation,
  log: DatabaseLog,
  work: (connectionString: string) => Promise<Result>,
): Promise<Result> {
  if (databaseUrl !== undefined) return work(databaseUrl)
  const server = await withEmbeddedServer(dataDir, log)
  return work(server.connectionString).finally(() => server.stop())
}

async function withEmbeddedServer(dataDir: string, log: DatabaseLog) {
  const deadline = performance.now() + OVERLAP_MS
  for (;;) {
    try {
      return await startEmbedded({ dataDir, log })
    } catch (error) {
      if (!isGalleyError(error, 'data_folder_in_use')) throw error
    }
    try {
      return { connectionString: await attachEmbedded(dataDir, log), stop: async () => undefined }
    } catch (error) {
      if (!isGalleyError(error, 'embedded_unavailable') || performance.now() > deadline) throw error
      await sleep(250)
    }
  }
}

const isGalleyError = (error: unknown, code: string): boolean =>
  error instanceof GalleyError && error.code === code
