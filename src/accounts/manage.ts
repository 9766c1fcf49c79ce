import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { named } from '../database/named.ts'
import { inTransaction, type Queryable } from '../database/transaction.ts'
import { GalleyError } from '../errors.ts'
import { type Page, type PageRequest, toPage } from '../paging.ts'
import { createApiKey, hashToken } from '../secrets/index.ts'
import { grantCredits } from './credits.ts'
import type { ManagedAccount, ManagedAccountPatch, NewAccount, NewGrant } from './schema.ts'

// The only statements that name no account of their caller's: what an operator does with accounts as such. What belongs to
// one is seen by nobody but its own keys.

const COLUMNS = `id, name, credits, unlimited, notify_steps, notification_secret IS NOT NULL AS signs_notifications,
  disabled_at, created_at`

type Row = Omit<ManagedAccount, 'created_at' | 'disabled_at'> & { created_at: Date; disabled_at: Date | null }

const viewOf = ({ created_at, disabled_at, ...row }: Row): ManagedAccount => ({
  ...row,
  disabled_at: disabled_at?.toISOString() ?? null,
  created_at: created_at.toISOString(),
})

/** Makes an account and its first key, of the role owner; the key is returned this once. */
export async function makeAccount(
  pool: Pool,
  { id = uuid(), name, unlimited }: NewAccount & { id?: string },
): Promise<{ account: ManagedAccount; key: string }> {
  const key = createApiKey()
  const { rows } = await pool.query<Row>(
    named(
      `WITH made AS (
        INSERT INTO account (id, name, unlimited) VALUES (:id::uuid, :name::text, :unlimited::boolean) RETURNING *
      ), opened AS (
        INSERT INTO api_key (id, account_id, name, hash, last_four, role)
        SELECT :keyId::uuid, id, 'First key', :hash::text, :lastFour::text, 'owner' FROM made
      )
      SELECT ${COLUMNS} FROM made`,
      { id, name, unlimited, keyId: uuid(), hash: hashToken(key), lastFour: key.slice(-4) },
    ),
  )
  return { account: viewOf(rows[0] as Row), key }
}

/** The accounts of this installation, the newest first, disabled ones too. */
export async function listAccounts(
  pool: Pool,
  { limit, cursor }: PageRequest,
): Promise<Page<ManagedAccount>> {
  const { rows } = await pool.query<Row>(
    named(
      `SELECT ${COLUMNS} FROM account WHERE :cursor::uuid IS NULL OR id < :cursor::uuid
       ORDER BY id DESC LIMIT :limit::int + 1`,
      { limit, cursor: cursor ?? null },
    ),
  )
  return toPage(rows.map(viewOf), limit)
}

/** @throws GalleyError 404 */
export async function readAccount(database: Queryable, id: string): Promise<ManagedAccount> {
  const { rows } = await database.query<Row>(
    named(`SELECT ${COLUMNS} FROM account WHERE id = :id::uuid`, { id }),
  )
  if (rows[0] === undefined) throw accountUnknown(id)
  return viewOf(rows[0])
}

/**
 * Renames an account, disables or enables it, or lifts its limit; what is left out stays as it is. Of one that is disabled,
 * every process refuses the keys, webhooks and connect links from its next request on, and takes up no delivery.
 *
 * @param own the account of the caller
 * @throws GalleyError 404; 409 `OWN_ACCOUNT` where somebody would lock himself out
 */
export async function changeAccount(
  pool: Pool,
  { id, own }: { id: string; own: string },
  { name, disabled, unlimited }: ManagedAccountPatch,
): Promise<ManagedAccount> {
  if (disabled === true && id === own) throw ownAccount()
  const { rows } = await pool.query<Row>(
    named(
      `UPDATE account SET name = coalesce(:name::text, name), unlimited = coalesce(:unlimited::boolean, unlimited),
         disabled_at = CASE WHEN :disabled::boolean IS NULL THEN disabled_at
           WHEN :disabled THEN coalesce(disabled_at, now()) END
       WHERE id = :id::uuid RETURNING ${COLUMNS}`,
      { id, name: name ?? null, disabled: disabled ?? null, unlimited: unlimited ?? null },
    ),
  )
  if (rows[0] === undefined) throw accountUnknown(id)
  return viewOf(rows[0])
}

/** Adds credits to an account; the same grant again adds none. @throws GalleyError 404 */
export const grant = (
  pool: Pool,
  id: string,
  { id: grantId, amount, note }: NewGrant & { id: string },
): Promise<ManagedAccount> =>
  inTransaction(pool, async (database) => {
    const given = { accountId: id, grantId, amount, ...(note !== undefined && { note }) }
    await grantCredits(database, given)
    return readAccount(database, id)
  })

const accountUnknown = (id: string) =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: `There is no account ${id}. GET /v1/accounts lists those there are.`,
  })

const ownAccount = () =>
  new GalleyError({
    code: 'OWN_ACCOUNT',
    httpStatus: 409,
    message: 'This is the account of the key that you are using. Disabling it would lock you out.',
  })
