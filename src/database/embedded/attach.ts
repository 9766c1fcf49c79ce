import { GalleyError } from '../../errors.ts'
import type { Log } from '../log.ts'
import { openCluster } from './cluster.ts'
import { runningPostmaster } from './postmaster.ts'
import { connectionString } from './session.ts'

/**
 * Where the database of a data folder answers that another Galley of this machine uses at the moment.
 *
 * @throws GalleyError `embedded_unavailable` where none runs there
 */
export async function attachEmbedded(dataDir: string, log: Log): Promise<string> {
  const cluster = await openCluster(dataDir, log)
  const postmaster = await runningPostmaster(cluster.data)
  if (postmaster !== undefined) return connectionString(cluster, postmaster.port, 'galley')
  throw new GalleyError({
    code: 'embedded_unavailable',
    action: 'retry',
    message: `The Galley that uses the data folder ${dataDir} is just stopping. Try again in a moment.`,
  })
}
