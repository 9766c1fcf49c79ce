import type { Client } from 'pg'
import { GalleyError } from '../../errors.ts'
import { locks, takeLock } from '../advisory-lock.ts'
import type { Cluster } from './cluster.ts'

/** Sessions of a Galley that was just killed need a moment to end. */
const patience = 2_000

/**
 * Makes this process the only Galley on a data folder, for as long as `session` lives.
 *
 * @throws GalleyError `data_folder_in_use`
 */
export async function claim(session: Client, { dataDir }: Cluster): Promise<void> {
  if (await takeLock(session, locks.dataFolder, patience)) return
  const { rows } = await session.query<{ holder: string }>(
    `select application_name as holder from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and granted and pg_locks.database is not null
       and (classid::bigint << 32) + objid::bigint = $1`,
    [locks.dataFolder],
  )
  const holder = rows[0] ? ` (${rows[0].holder})` : ''
  throw new GalleyError({
    code: 'data_folder_in_use',
    message:
      `Another Galley${holder} already uses the data folder ${dataDir}. ` +
      'Stop that one first, or give this one a folder of its own with GALLEY_DATA_DIR.',
    action: 'owner',
  })
}
