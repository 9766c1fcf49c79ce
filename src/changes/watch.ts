import { randomInt } from 'node:crypto'
import type { Pool } from 'pg'
import { named } from '../database/named.ts'

/** Minutes for which changes of an account go on being written down after its last stream has ended. */
const WATCHED_MINUTES = 15

/**
 * That changes of an account are written down. Nobody pays for what nobody looks at: the triggers write nothing for an account
 * that has had no stream for {@link WATCHED_MINUTES}.
 */
export interface Watch {
  epoch: string
  /** Of every transaction from this one on, what it changes is written down. */
  since: bigint
  /** Of this transaction and those before it, what it changed may be forgotten. */
  purged: bigint
}

interface Row {
  epoch: number
  since: string | null
  purged: string
}

/** Has the changes of an account written down from now on, or for longer. */
export async function watch(pool: Pool, accountId: string): Promise<Watch> {
  const { rows } = await pool.query<Row>({
    name: 'watch-changes',
    ...named(WATCH, { accountId, epoch: randomInt(1, 2 ** 31 - 1) }),
  })
  const [row] = rows
  if (row === undefined) throw new Error('an upsert returns its row')
  // Only now that others see the row: whoever begins after this moment writes down what it changes.
  const begun = row.since === null ? await pool.query<Row>(named(BEGIN, { accountId })) : { rows }
  const { epoch, since, purged } = begun.rows[0] ?? row
  return since === null
    ? watch(pool, accountId)
    : { epoch: String(epoch), since: BigInt(since), purged: BigInt(purged) }
}

const WATCH = `
  INSERT INTO change_watch AS w (account_id, epoch, until)
  VALUES (:accountId::uuid, :epoch::int, now() + interval '${WATCHED_MINUTES} minutes')
  ON CONFLICT (account_id) DO UPDATE SET until = excluded.until,
    epoch = CASE WHEN w.until > now() THEN w.epoch ELSE excluded.epoch END,
    since = CASE WHEN w.until > now() THEN w.since END
  RETURNING epoch, since, purged`

const BEGIN = `
  UPDATE change_watch SET since = coalesce(since, pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
  WHERE account_id = :accountId::uuid
  RETURNING epoch, since, purged`
