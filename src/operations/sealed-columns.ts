import type { Pool } from 'pg'
import type { Queryable } from '../database/transaction.ts'
import { GalleyError } from '../errors.ts'
import { idempotentAnswer } from '../idempotency/idempotency.ts'
import { notificationSecret, receiverSecrets } from '../notifications/signing-secrets.ts'
import {
  type Keyring,
  type KeyringSettings,
  loadKeyring,
  type SealedColumn,
  type SealedRow,
  type StoredSecret,
  sealedKeyId,
} from '../secrets/index.ts'
import { sitePassword } from '../sites/connection.ts'
import { siteImportSecrets } from '../sites/import-job/job.ts'
import { sourceSecrets } from '../sources/secrets.ts'

/**
 * Every column of the database in which something is encrypted. Whoever adds one adds it here: a rotation re-encrypts
 * these, and a start tries them. A test compares them with the schema.
 */
export const sealedColumns: readonly SealedColumn[] = [
  sitePassword,
  ...sourceSecrets,
  notificationSecret,
  siteImportSecrets,
  idempotentAnswer,
  ...receiverSecrets,
]

/** The stored secrets of all accounts that count, each to be tried. */
export async function storedSecrets(database: Queryable, keyring: Keyring): Promise<StoredSecret[]> {
  const secrets: StoredSecret[] = []
  for (const column of sealedColumns) {
    const { rows } = await database.query<Record<string, string>>(
      `SELECT ${selectedColumns(column)} FROM ${column.table} WHERE ${isCountedSql(column)}`,
    )
    for (const row of rows) {
      const sealed = row[column.column] as string
      secrets.push({ sealed, of: column.of, read: () => column.read(keyring, row, sealed) })
    }
  }
  return secrets
}

/**
 * The keys that stored secrets name, whether they are known here or not. Of the columns that the database has: it may be
 * older than this Galley.
 */
export async function keyIdsInUse(database: Queryable): Promise<string[]> {
  const ids = new Set<string>()
  for (const { table, column } of sealedColumns) {
    const there = await database.query(
      'SELECT FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2 AND column_name = $3',
      ['public', table, column],
    )
    if (there.rowCount === 0) continue
    const { rows } = await database.query<{ id: string }>(
      `SELECT DISTINCT split_part(${column}, '.', 2) AS id FROM ${table} WHERE ${column} IS NOT NULL`,
    )
    for (const { id } of rows) ids.add(id)
  }
  return [...ids].sort()
}

/** What is read of a row. */
export const selectedColumns = ({ key, beside, column }: SealedColumn): string =>
  [...key, ...(beside ?? []), column].join(', ')

/** SQL: there is a secret, and it counts. */
export const isCountedSql = ({ column, live }: SealedColumn): string =>
  `${column} IS NOT NULL${live === undefined ? '' : ` AND ${live}`}`

/** The row without its secret, as a sentence may name it. */
export const describeRow = ({ table, column, key }: SealedColumn, row: SealedRow): string =>
  `${column} of the ${table} ${row[key[key.length - 1] as string]}`

/** How many secrets a key is needed for. */
interface KeyUse {
  id: string
  /** Secrets that it alone reads. */
  secrets: number
  /** Secrets under its name that it does not read: damaged, or another key had that name. */
  unreadable: number
}

/** The keys that secrets name, with how many each is needed for. */
export async function countKeyUses(pool: Pool, keyring: Keyring): Promise<KeyUse[]> {
  const needs = new Map<string, KeyUse>()
  for (const { sealed, read } of await storedSecrets(pool, keyring)) {
    const id = sealedKeyId(sealed)
    const need = needs.get(id) ?? { id, secrets: 0, unreadable: 0 }
    needs.set(id, need)
    if (isReadable(read)) need.secrets += 1
    else need.unreadable += 1
  }
  return [...needs.values()]
}

/** How many secrets this key alone reads. */
export const countKeyUse = async (pool: Pool, keyring: Keyring, id: string): Promise<number> =>
  (await countKeyUses(pool, keyring)).find((need) => need.id === id)?.secrets ?? 0

function isReadable(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch (error) {
    if (error instanceof GalleyError) return false
    throw error
  }
}

/** A key, as a person sees it. */
interface SecretKeySummary {
  id: string
  /** Whether new secrets are encrypted with it. */
  newest: boolean
  /** Whether it is among the keys of this Galley. */
  here: boolean
  /** Secrets that name it. */
  secrets: number
}

/** The keys of this Galley, the newest first, and those that it lacks. */
export async function listSecretKeys(pool: Pool, settings: KeyringSettings): Promise<SecretKeySummary[]> {
  const keyring = await loadKeyring(settings)
  const needs = new Map((await countKeyUses(pool, keyring)).map((need) => [need.id, need]))
  const here = keyring.ids()
  return [...new Set([...here, ...needs.keys()])].map((id) => ({
    id,
    newest: id === keyring.newestId,
    here: here.includes(id),
    secrets: (needs.get(id)?.secrets ?? 0) + (needs.get(id)?.unreadable ?? 0),
  }))
}
