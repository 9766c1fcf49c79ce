import { locks, takeLock } from '../database/advisory-lock.ts'
import type { Database, Prisma } from '../database/index.ts'
import { named } from '../database/named.ts'
import { GalleyError } from '../errors.ts'
import { firstAccount } from './accounts.ts'
import { enterDeedOf } from './audit/enter.ts'
import { createKey } from './keys.ts'

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
export async function showFirstKey({ prisma, pool }: Database, show: Show): Promise<() => Promise<void>> {
  // SQL first: Prisma is loaded only where a key is made.
  const { rows } = await pool.query(
    named(`SELECT FROM api_key WHERE last_used_at IS NOT NULL OR name <> :first LIMIT 1`, { first: FIRST }),
  )
  if (rows.length > 0) return async () => undefined
  const session = await pool.connect()
  const release = async () => {
    await session.query('SELECT pg_advisory_unlock_all()').finally(() => session.release(true))
  }
  try {
    if (!(await takeLock(session, locks.firstKey, PATIENCE_MS))) return done(release)
    const shown = await prisma.$transaction(
      async (transaction) => {
        const { id: accountId } = await firstAccount(transaction)
        if (await someoneIsIn(transaction)) return false
        const unused = { accountId, lastUsedAt: null, revokedAt: null }
        const { count } = await transaction.apiKey.updateMany({
          where: unused,
          data: { revokedAt: new Date() },
        })
        const { key, id } = await createKey(transaction, { accountId, name: FIRST, role: 'operator' })
        const details = { name: FIRST, role: 'operator' }
        const made = { accountId, action: 'key.create', subjectId: id, details } as const
        await enterDeedOf(transaction, 'the start of a new Galley', made)
        await show(words(key, count > 0)).catch((cause: Error) => {
          throw notShown(cause)
        })
        return true
      },
      { timeout: SHOWN_WITHIN_MS },
    )
    return shown ? release : done(release)
  } catch (error) {
    await release()
    throw error
  }
}

const FIRST = 'First key'

/** Somebody has used a key, has chosen one, or has had one made. */
const someoneIsIn = async (prisma: Prisma.TransactionClient): Promise<boolean> =>
  (await prisma.apiKey.count({ where: { OR: [{ lastUsedAt: { not: null } }, { name: { not: FIRST } }] } })) >
  0

async function done(release: () => Promise<void>): Promise<() => Promise<void>> {
  await release()
  return async () => undefined
}

const words = (key: string, again: boolean): string =>
  `Your first API key, shown this once: ${key}\n${
    again ? 'Nobody has used the one that was shown before; it no longer works.\n' : ''
  }Keep it in a safe place. Should it be lost: npm start -- --new-key`

const notShown = (cause: Error) =>
  new GalleyError({
    code: 'key_not_shown',
    action: 'owner',
    message: `The first API key could not be shown: standard output took nothing (${cause.message}). Start Galley where its output can be read, or choose the key with GALLEY_ADMIN_KEY.`,
    cause,
  })
