import { queryRows } from '../database/statement.ts'
import type { Queryable } from '../database/transaction.ts'
import { refusal } from '../errors.ts'

/*
 * Credits: `account.credits` is the balance, `credit_entry` the ledger, append-only, whose sum is the balance, always. Both
 * are written in one statement, whichever writes them; a CHECK keeps the balance from going below nothing.
 */

/** What a charge is taken from: SQL expressions of an account's id and of a price, and a condition for charging at all. */
interface Charge {
  accountId: string
  price: string
  /** Of no use is a charge for what is there already. */
  where: string
}

/**
 * CTEs that take a price from an account, without a comma behind the last. The relation `payer` (`account_id`, `amount`) has
 * one row where the account can pay, else none; without a limit it pays 0, and locks nothing, so that its jobs are stored side
 * by side. The charge must be entered with {@link insertChargeEntries} in the same statement.
 */
export const chargeCredits = ({ accountId, price, where }: Charge): string => `
charged AS (
  UPDATE account SET credits = credits - ${price}
  WHERE id = ${accountId} AND NOT unlimited AND credits >= ${price} AND ${where}
  RETURNING id AS account_id, -${price} AS amount
),
payer AS (
  SELECT account_id, amount FROM charged
  UNION ALL SELECT id, 0 FROM account WHERE id = ${accountId} AND unlimited AND ${where}
)`

/** A CTE that enters charges. @param charges a relation: `account_id`, `job_id`, `amount`, `price` */
export const insertChargeEntries = (charges: string): string => `
entered AS (
  INSERT INTO credit_entry (account_id, job_id, kind, amount, price)
  SELECT account_id, job_id, 'charge', amount, price FROM ${charges}
)`

/**
 * CTEs that give back what jobs were charged, without a comma behind the last; a second time they change nothing.
 * @param jobs a relation of the statement, with the `id` of each job
 * @param price SQL of what is given back, of `charge.price`; all of it where left out. Nothing is entered for 0
 */
export const refundCredits = (jobs: string, price = 'charge.price'): string => `
refunded AS (
  INSERT INTO credit_entry (account_id, job_id, kind, amount, price)
  SELECT charge.account_id, charge.job_id, 'refund', CASE charge.amount WHEN 0 THEN 0 ELSE ${price} END, ${price}
  FROM ${jobs} AS refundable JOIN credit_entry AS charge ON charge.job_id = refundable.id AND charge.kind = 'charge'
  WHERE ${price} > 0
  ON CONFLICT (job_id, kind) DO NOTHING
  RETURNING account_id, amount
),
given_back AS (
  UPDATE account SET credits = credits + total
  FROM (SELECT account_id, sum(amount)::int AS total FROM refunded GROUP BY account_id HAVING sum(amount) > 0) AS sums
  WHERE account.id = sums.account_id
)`

interface Grant {
  accountId: string
  /** Of one id there is one entry. */
  grantId?: string
  amount: number
  note?: string
}

/** Credits that grants make of a balance at most: what jobs give back beside it stays below what the column holds. */
const MAX_CREDITS = 1_000_000_000

/** Adds credits and enters them, once for a grant. @throws GalleyError 422 `TOO_MANY_CREDITS` */
export async function grantCredits(database: Queryable, { accountId, grantId, amount, note }: Grant) {
  // As it was before: a balance that is full refuses a grant, unless that was made already.
  const [account] = await queryRows<{ is_full: boolean }>(
    database,
    `WITH entered AS (
        INSERT INTO credit_entry (account_id, job_id, kind, amount, note)
        SELECT id, :grantId::uuid, 'grant', :amount::int, :note::text FROM account
        WHERE id = :accountId::uuid AND credits <= :most::int
        ON CONFLICT (job_id, kind) DO NOTHING RETURNING account_id
      ), added AS (
        UPDATE account SET credits = credits + :amount::int FROM entered WHERE account.id = entered.account_id
      )
      SELECT credits > :most::int AND NOT EXISTS (
        SELECT FROM credit_entry WHERE job_id = :grantId::uuid AND kind = 'grant') AS is_full
      FROM account WHERE id = :accountId::uuid`,
    { accountId, grantId: grantId ?? null, amount, note: note ?? null, most: MAX_CREDITS - amount },
  )
  if (account?.is_full)
    throw refusal(
      'TOO_MANY_CREDITS',
      `An account may be given ${MAX_CREDITS.toLocaleString('en')} credits at most, and this one would then have more. To let it create as many documents as it likes, remove its limit instead.`,
      422,
      { most: MAX_CREDITS },
    )
}
