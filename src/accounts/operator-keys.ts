import pTimeout from 'p-timeout'
import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import type { Database } from '../database/client.ts'
import { execute, queryRows } from '../database/statement.ts'
import { acquireAdvisoryLock, advisoryLocks, inTransaction, type Queryable } from '../database/transaction.ts'
import { operatorError } from '../errors.ts'
import type { Logger } from '../log/log.ts'
import { createApiKey, hashToken } from '../secrets/keyring.ts'
import { ensureFirstAccount } from './accounts.ts'
import { recordAuditEntry } from './audit.ts'

interface OperatorKeyCreation {
  accountId: string
  name: string
  /** Who makes it, as the audit log names them: no key does. */
  actor: string
  /** A key the operator chose; made where left out. */
  key?: string | undefined
}

/** Makes an operator's key, entered into the audit log; in SQL, as Prisma would take half of a start. @returns it, this once */
async function createOperatorKey(
  database: Queryable,
  { accountId, name, actor, key = createApiKey() }: OperatorKeyCreation,
): Promise<string> {
  const id = uuid()
  await execute(
    database,
    `INSERT INTO api_key (id, account_id, name, hash, last_four, role)
     VALUES (:id::uuid, :accountId::uuid, :name::text, :hash::text, :lastFour::text, 'operator')`,
    { id, accountId, name, hash: hashToken(key), lastFour: key.slice(-4) },
  )
  const details = { name, role: 'operator' }
  await recordAuditEntry(database, { accountId, by: { actor }, action: 'key.create', subjectId: id, details })
  return key
}

/** Makes another key of the first account, for somebody who has this machine and no key that opens Galley. */
export const createRecoveryKey = (pool: Pool): Promise<string> =>
  inTransaction(pool, async (database) => {
    const accountId = await ensureFirstAccount(database)
    return createOperatorKey(database, { accountId, name: 'Made with --new-key', actor: '--new-key' })
  })

const ADMIN_KEY_NAME = 'GALLEY_ADMIN_KEY'

/** Opens the first account to the operator's key at each start; a revoked one stays so, and an earlier one goes on. */
export const installAdminKey = ({ pool }: Pick<Database, 'pool'>, key: string, log: Pick<Logger, 'warn'>) =>
  inTransaction(pool, async (database) => {
    const accountId = await ensureFirstAccount(database)
    const known = await queryRows<{ revoked: boolean }>(
      database,
      'SELECT revoked_at IS NOT NULL AS revoked FROM api_key WHERE hash = :hash',
      { hash: hashToken(key) },
    )
    if (known[0] !== undefined) {
      if (known[0].revoked)
        log.warn(
          `${ADMIN_KEY_NAME} is a key that was revoked, and no longer works. Set another one, or none. To get in: galley --new-key, or npm start -- --new-key`,
        )
      return
    }
    const before = await queryRows<{ id: string; last_four: string }>(
      database,
      `SELECT id, last_four FROM api_key
       WHERE account_id = :accountId::uuid AND name = :name AND revoked_at IS NULL`,
      { accountId, name: ADMIN_KEY_NAME },
    )
    await createOperatorKey(database, { accountId, name: ADMIN_KEY_NAME, actor: ADMIN_KEY_NAME, key })
    for (const { id, last_four: lastFour } of before)
      log.warn(
        `${ADMIN_KEY_NAME} has changed. The one before, which ends in ${lastFour}, still opens this Galley; end it with DELETE /v1/keys/${id}`,
      )
  })

/** Puts words where a person reads them; rejects where they did not get there. */
export type RevealKey = (text: string) => Promise<void>

/** Milliseconds for the words to be taken: standard output may be a pipe that nobody empties. */
const REVEAL_TIMEOUT_MS = 10_000

/** Milliseconds that the session of a process needs to end that was just killed. */
const LOCK_TIMEOUT_MS = 2_000

/**
 * Shows a new Galley's first API key, and another in its place at every start until somebody has used one: none is lost with a
 * closed window, or stays of use in a log. It counts only once it was shown, so nothing after this may end the start. While
 * this process lives, no other one on this database shows a key.
 * @returns to be called when this process stops
 * @throws GalleyError `key_not_shown`
 */
export async function revealFirstKey({ pool }: Pick<Database, 'pool'>, show: RevealKey) {
  if (await isAnyKeyUsed(pool)) return async () => undefined
  const session = await pool.connect()
  const release = async () => {
    await session.query('SELECT pg_advisory_unlock_all()').finally(() => session.release(true))
  }
  try {
    const isLocked = await acquireAdvisoryLock(session, advisoryLocks.firstKey, LOCK_TIMEOUT_MS)
    const isShown =
      isLocked &&
      (await inTransaction(pool, async (database) => {
        const accountId = await ensureFirstAccount(database)
        if (await isAnyKeyUsed(database)) return false
        const rowCount = await execute(
          database,
          `UPDATE api_key SET revoked_at = now()
           WHERE account_id = :accountId::uuid AND last_used_at IS NULL AND revoked_at IS NULL`,
          { accountId },
        )
        const actor = 'the start of a new Galley'
        const key = await createOperatorKey(database, { accountId, name: FIRST_KEY_NAME, actor })
        await pTimeout(show(firstKeyText(key, rowCount !== 0)), { milliseconds: REVEAL_TIMEOUT_MS }).catch(
          (cause: Error) => {
            throw operatorError(
              'key_not_shown',
              `The first API key could not be shown: standard output took nothing (${cause.message}). Start Galley where its output can be read, or choose the key with GALLEY_ADMIN_KEY.`,
              cause,
            )
          },
        )
        return true
      }))
    if (isShown) return release
    await release()
    return async () => undefined
  } catch (error) {
    await release()
    throw error
  }
}

const FIRST_KEY_NAME = 'First key'

/** Somebody has used a key, has chosen one, or has had one made. */
async function isAnyKeyUsed(database: Queryable): Promise<boolean> {
  const rows = await queryRows(
    database,
    'SELECT FROM api_key WHERE last_used_at IS NOT NULL OR name <> :first LIMIT 1',
    { first: FIRST_KEY_NAME },
  )
  return rows.length > 0
}

const firstKeyText = (key: string, again: boolean): string =>
  `Your first API key, shown only once: ${key}\n${
    again ? 'Nobody has used the one that was shown before; it no longer works.\n' : ''
  }Keep it in a safe place. If it is lost: galley --new-key, or npm start -- --new-key`
