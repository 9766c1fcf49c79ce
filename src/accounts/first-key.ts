import pTimeout from 'p-timeout'
import { locks, takeLock } from '../database/advisory-lock.ts'
import type { Database } from '../database/index.ts'
import { named } from '../database/named.ts'
import { inTransaction, type Queryable } from '../database/transaction.ts'
import { GalleyError } from '../errors.ts'
import { firstAccount } from './accounts.ts'
import { makeOperatorKey } from './operator-key.ts'

/** Puts words where a person reads them; rejects where they did not get there. */
export type Show = (text: string) => Promise<void>

/** Milliseconds for the words to be taken: standard output may be a pipe that nobody empties. */
const SHOWN_WITHIN_MS = 10_000

/** Milliseconds that the session of a process needs to end that was just killed. */
const PATIENCE_MS = 2_000

/**
 * Shows a new Galley's first API key, and shows another in its place at every start until somebody has used one: so
 * none is lost with a closed window, and none that was left in a log stays of use. The key counts only once it was
 * shown. To be called where nothing after it can end the start.
 *
 * While the process that has shown it lives, no other one on this database does: its key would end.
 *
 * @returns to be called when this process stops
 * @throws GalleyError `key_not_shown`
 */
export async function showFirstKey(
  { pool }: Pick<Database, 'pool'>,
  show: Show,
): Promise<() => Promise<void>> {
  if (await someoneIsIn(pool)) return async () => undefined
  const session = await pool.connect()
  const release = async () => {
    await session.query('SELECT pg_advisory_unlock_all()').finally(() => session.release(true))
  }
  try {
    if (!(await takeLock(session, locks.firstKey, PATIENCE_MS))) return done(release)
    const shown = await inTransaction(pool, async (database) => {
      const accountId = await firstAccount(database)
      if (await someoneIsIn(database)) return false
      const { rowCount } = await database.query(
        named(
          `UPDATE api_key SET revoked_at = now()
           WHERE account_id = :accountId::uuid AND last_used_at IS NULL AND revoked_at IS NULL`,
          { accountId },
        ),
      )
      const actor = 'the start of a new Galley'
      const key = await makeOperatorKey(database, { accountId, name: FIRST, actor })
      await pTimeout(show(words(key, rowCount !== 0)), { milliseconds: SHOWN_WITHIN_MS }).catch(
        (cause: Error) => {
          throw notShown(cause)
        },
      )
      return true
    })
    return shown ? release : done(release)
  } catch (error) {
    await release()
    throw error
  }
}

const FIRST = 'First key'

/** Somebody has used a key, has chosen one, or has had one made. */
async function someoneIsIn(database: Queryable): Promise<boolean> {
  const { rows } = await database.query(
    named('SELECT FROM api_key WHERE last_used_at IS NOT NULL OR name <> :first LIMIT 1', { first: FIRST }),
  )
  return rows.length > 0
}

async function done(release: () => Promise<void>): Promise<() => Promise<void>> {
  await release()
  return async () => undefined
}

const words = (key: string, again: boolean): string =>
  `Your first API key, shown only once: ${key}\n${
    again ? 'Nobody has used the one that was shown before; it no longer works.\n' : ''
  }Keep it in a safe place. If it is lost: galley --new-key, or npm start -- --new-key`

const notShown = (cause: Error) =>
  new GalleyError({
    code: 'key_not_shown',
    action: 'owner',
    message: `The first API key could not be shown: standard output took nothing (${cause.message}). Start Galley where its output can be read, or choose the key with GALLEY_ADMIN_KEY.`,
    cause,
  })
