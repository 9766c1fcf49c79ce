import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { named } from '../database/named.ts'
import { GalleyError } from '../errors.ts'

/** Long jobs of one kind that an account has under way, or waiting, at once. */
const MOST = 20

/** Milliseconds for which one counts: what a worker has given up must not lock anybody out. */
const COUNTS_MS = 3_600_000

/** A table of long jobs that somebody asked for, whose ids are of version 7; with its column that says when one ended. */
interface Asked {
  table: 'bulk_job' | 'site_import' | 'site_check'
  ended: 'ended_at' | 'finished_at'
  /** In the plural, as a sentence counts them. */
  called: string
}

/**
 * Keeps an account from filling the database and the queue with what nobody can work off as fast. One that was asked for an
 * hour ago and has not ended no longer counts.
 *
 * @param id of the one that is about to be stored, which an earlier attempt may have stored
 * @throws GalleyError 429 `TOO_MANY_JOBS`
 */
export async function refuseTooMany(
  pool: Pool,
  { table, ended, called }: Asked,
  { id, accountId }: { id: string; accountId: string },
): Promise<void> {
  const { rowCount } = await pool.query(
    named(
      `SELECT FROM ${table} WHERE account_id = :accountId AND id > :since AND ${ended} IS NULL AND id <> :id
       ORDER BY id DESC LIMIT ${MOST}`,
      { id, accountId, since: lowestSince(Date.now() - COUNTS_MS) },
    ),
  )
  if (rowCount === MOST)
    throw new GalleyError({
      code: 'TOO_MANY_JOBS',
      httpStatus: 429,
      action: 'retry',
      retryAfterMs: 10_000,
      message: `This account has ${MOST} ${called} that have not ended, which is as many as it may have. Wait until one ends, then ask again.`,
    })
}

const lowestSince = (msecs: number): string => uuid({ msecs, seq: 0, random: new Uint8Array(16) })
