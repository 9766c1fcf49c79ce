import { v7 as uuid } from 'uuid'
import { named } from '../database/named.ts'
import type { Queryable } from '../database/transaction.ts'
import { logHeld } from '../delivery/ledger/log-held.ts'
import type { Logger } from '../log.ts'
import { createToken, hashToken } from '../secrets/index.ts'
import { understand } from './receive.ts'
import { storeEvents } from './store.ts'

/** A finished document that Galley itself made. */
export interface OwnEvent {
  accountId: string
  /** As a webhook would bring it. */
  body: Buffer
}

/** How it was taken. */
export interface OwnStored {
  /** Why it asks for nothing that can be done; null where it was understood. */
  refusal: string | null
  /** To be called when the transaction has ended: a delivery that was held at once is a line of the log then. */
  stored(): void
}

/**
 * Intake's way in for what was made here: reads and stores an event as any webhook's, within the transaction that
 * `database` is in, as from the account's built-in source. That is made where there is none; its token is known to
 * nobody, so that nothing comes in through it from outside.
 */
export const ownIntake =
  (log: Logger) =>
  async (database: Queryable, { accountId, body }: OwnEvent): Promise<OwnStored> => {
    const id = await builtInSource(database, accountId, NAME)
    const { event, unfit } = understand({ id, accountId }, body)
    const [{ held } = {}] = await storeEvents(database, [event])
    return {
      refusal: unfit?.message ?? null,
      stored: () => logHeld(log, held === undefined ? [] : [held]),
    }
  }

const NAME = 'Documents that Galley creates'

/** A source of Galley's own, by its name; made where there is none. Its token is known to nobody. */
export async function builtInSource(database: Queryable, accountId: string, name: string): Promise<string> {
  const found = async () => {
    const { rows } = await database.query<{ id: string }>(
      named('SELECT id FROM source WHERE account_id = :accountId AND built_in AND name = :name', {
        accountId,
        name,
      }),
    )
    return rows[0]?.id
  }
  const there = await found()
  if (there !== undefined) return there
  await database.query(
    named(
      `INSERT INTO source (id, account_id, name, token_hash, built_in)
       VALUES (:id, :accountId, :name, :tokenHash, true) ON CONFLICT (account_id, name) WHERE built_in DO NOTHING`,
      { id: uuid(), accountId, name, tokenHash: hashToken(createToken()) },
    ),
  )
  // By whichever of two transactions came first.
  const made = await found()
  if (made === undefined) throw new Error('the built-in source was made and is not there')
  return made
}
