import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import type { Database } from '../database/client.ts'
import type { PrismaClient } from '../database/generated/client.ts'
import { execute, queryRows } from '../database/statement.ts'
import { inTransaction, type Queryable } from '../database/transaction.ts'
import { conflict, refusal } from '../errors.ts'
import { type Page, type PageRequest, toPage } from '../lib/paging.ts'
import { wireRow } from '../lib/wire-row.ts'
import { createApiKey, hashToken } from '../secrets/keyring.ts'
import { recordAuditEntry } from './audit.ts'
import { grantCredits } from './credits.ts'
import {
  type AccountPatch,
  type AccountView,
  accountSchema,
  type CreditEntryView,
  creditEntrySchema,
  type ManagedAccount,
  type ManagedAccountPatch,
  managedAccountSchema,
  type NewAccount,
  type NewGrant,
} from './schema.ts'

/** The name of an account that nobody has named: it is made by itself, before anybody could. */
export const DEFAULT_ACCOUNT_NAME = 'First account'

/** Any number that nothing else in this database locks: "galley" on a telephone's keys. */
const FIRST_ACCOUNT_LOCK = 425539

/** The first account, made where there is none, with its first key; others wait for the end of this transaction. */
export async function ensureFirstAccount(database: Queryable): Promise<string> {
  await execute(database, 'SELECT pg_advisory_xact_lock(:lock::bigint)', { lock: FIRST_ACCOUNT_LOCK })
  const { rows } = await database.query<{ id: string }>('SELECT id FROM account ORDER BY id LIMIT 1')
  const id = rows[0]?.id ?? uuid()
  if (rows.length === 0)
    await execute(database, 'INSERT INTO account (id, name) VALUES (:id::uuid, :name::text)', {
      id,
      name: DEFAULT_ACCOUNT_NAME,
    })
  return id
}

export const getAccount = async (pool: Pool, id: string): Promise<AccountView> =>
  accountSchema.parse(await getManagedAccount(pool, id))

/** Changes an account's name and what it has chosen; what is left out stays as it is. */
export const updateAccount = async (pool: Pool, id: string, patch: AccountPatch): Promise<AccountView> =>
  accountSchema.parse(await changeAccount(pool, id, patch))

/** The ledger of an account's credits, the newest entry first. */
export async function listCreditEntries(
  prisma: PrismaClient,
  { accountId, limit, cursor }: PageRequest & { accountId: string },
): Promise<Page<CreditEntryView>> {
  const rows = await prisma.creditEntry.findMany({
    where: { accountId, ...(cursor !== undefined && { id: { lt: BigInt(cursor) } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  return toPage(
    rows.map((row) => ({ ...row, id: String(row.id), jobId: row.kind === 'grant' ? null : row.jobId })),
    limit,
    (row) => creditEntrySchema.parse(wireRow(row)),
  )
}

// The only statements that name no account of their caller's: what an operator does with accounts as such.

const MANAGED_COLUMNS = `id, name, credits, unlimited, notify_steps, notification_secret IS NOT NULL AS signs_notifications,
  disabled_at, created_at`

const managedAccountView = (row: object): ManagedAccount => managedAccountSchema.parse(wireRow(row))

/** Makes an account and its first key, of the role owner; the key is returned this once. */
export async function createAccount(
  pool: Pool,
  { id = uuid(), name, unlimited = true }: Partial<NewAccount> & { id?: string; name: string },
): Promise<{ account: ManagedAccount; key: string }> {
  const key = createApiKey()
  const rows = await queryRows(
    pool,
    `WITH made AS (
        INSERT INTO account (id, name, unlimited) VALUES (:id::uuid, :name::text, :unlimited::boolean) RETURNING *
      ), opened AS (
        INSERT INTO api_key (id, account_id, name, hash, last_four, role)
        SELECT :keyId::uuid, id, 'First key', :hash::text, :lastFour::text, 'owner' FROM made
      )
      SELECT ${MANAGED_COLUMNS} FROM made`,
    { id, name, unlimited, keyId: uuid(), hash: hashToken(key), lastFour: key.slice(-4) },
  )
  return { account: managedAccountView(rows[0] as object), key }
}

/** The accounts of this installation, the newest first, disabled ones too. */
export async function listAccounts(
  pool: Pool,
  { limit, cursor }: PageRequest,
): Promise<Page<ManagedAccount>> {
  const rows = await queryRows<{ id: string }>(
    pool,
    `SELECT ${MANAGED_COLUMNS} FROM account WHERE :cursor::uuid IS NULL OR id < :cursor::uuid
     ORDER BY id DESC LIMIT :limit::int + 1`,
    { limit, cursor: cursor ?? null },
  )
  return toPage(rows, limit, managedAccountView)
}

/** @throws GalleyError 404 */
export async function getManagedAccount(database: Queryable, id: string): Promise<ManagedAccount> {
  const rows = await queryRows(database, `SELECT ${MANAGED_COLUMNS} FROM account WHERE id = :id::uuid`, {
    id,
  })
  if (rows[0] === undefined) throw accountUnknown(id)
  return managedAccountView(rows[0])
}

/**
 * Changes an account; what is left out stays. Of a disabled one, every process refuses keys, webhooks and connect links at once.
 * @throws GalleyError 404; 409 `OWN_ACCOUNT` where somebody would lock himself out
 */
export async function updateManagedAccount(
  pool: Pool,
  { id, own }: { id: string; own: string },
  patch: ManagedAccountPatch,
): Promise<ManagedAccount> {
  if (patch.disabled === true && id === own)
    throw conflict(
      'OWN_ACCOUNT',
      'This is the account of the key that you are using. Disabling it would lock you out.',
    )
  return changeAccount(pool, id, patch)
}

async function changeAccount(
  pool: Pool,
  id: string,
  { name, disabled, unlimited, notify_steps: notifySteps }: ManagedAccountPatch & AccountPatch,
): Promise<ManagedAccount> {
  const rows = await queryRows(
    pool,
    `UPDATE account SET name = coalesce(:name::text, name), unlimited = coalesce(:unlimited::boolean, unlimited),
       notify_steps = coalesce(:notifySteps::boolean, notify_steps),
       disabled_at = CASE WHEN :disabled::boolean IS NULL THEN disabled_at
         WHEN :disabled THEN coalesce(disabled_at, now()) END
     WHERE id = :id::uuid RETURNING ${MANAGED_COLUMNS}`,
    { id, name, disabled, unlimited, notifySteps },
  )
  if (rows[0] === undefined) throw accountUnknown(id)
  return managedAccountView(rows[0])
}

/** Adds credits to an account; the same grant again adds none. @throws GalleyError 404 */
export const grantAccountCredits = (
  pool: Pool,
  id: string,
  { id: grantId, amount, note }: NewGrant & { id: string },
): Promise<ManagedAccount> =>
  inTransaction(pool, async (database) => {
    const given = { accountId: id, grantId, amount, ...(note !== undefined && { note }) }
    await grantCredits(database, given)
    return getManagedAccount(database, id)
  })

const accountUnknown = (id: string) =>
  refusal('NOT_FOUND', `There is no account ${id}. GET /v1/accounts lists those there are.`, 404)

/** For whoever runs this Galley: gives the first account credits and a limit, or takes its limit away. */
export async function setFirstAccountCredits(
  { pool }: Pick<Database, 'pool'>,
  requested: number | 'unlimited',
): Promise<{ credits: number; unlimited: boolean }> {
  return inTransaction(pool, async (database) => {
    const id = await ensureFirstAccount(database)
    if (requested !== 'unlimited')
      await grantCredits(database, { accountId: id, amount: requested, note: 'Given with --credits' })
    const details = requested === 'unlimited' ? { unlimited: true } : { unlimited: false, amount: requested }
    const by = { actor: '--credits' }
    await recordAuditEntry(database, {
      accountId: id,
      by,
      action: 'account.grant_credits',
      subjectId: id,
      details,
    })
    const rows = await queryRows<{ credits: number; unlimited: boolean }>(
      database,
      'UPDATE account SET unlimited = :unlimited WHERE id = :id::uuid RETURNING credits, unlimited',
      { id, unlimited: requested === 'unlimited' },
    )
    return rows[0] as { credits: number; unlimited: boolean }
  })
}
