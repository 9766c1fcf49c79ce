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
 * Every encrypted column. A rotation re-encrypts them, and a start tries them; a test compares the
 * list with the schema.
 */
export const sealedColumns: readonly SealedColumn[] = [
  sitePassword,
  ...sourceSecrets,
  notificationSecret,
  siteImportSecrets,
  idempotentAnswer,
  ...receiverSecrets,
]

/** All secrets that count, each to be tried. */
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

/** Key ids in stored secrets, known or not. The database may be older and lack some columns. */
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

export const selectedColumns = ({ key, beside, column }: SealedColumn): string =>
  [...key, ...(beside ?? []), column].join(', ')

/** SQL: there is a secret, and it counts. */
export const isCountedSql = ({ column, live }: SealedColumn): string =>
  `${column} IS NOT NULL${live === undefined ? '' : ` AND ${live}`}`

/** Names a row without its secret. */
export const describeRow = ({ table, column, key }: SealedColumn, row: SealedRow): string =>
  `${column} of the ${table} ${row[key[key.length - 1] as string]}`

interface KeyUse {
  id: string
  secrets: number
  /** Secrets under its id that it cannot read: damaged, or sealed by another key of that id. */
  unreadable: number
}

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

interface SecretKeySummary {
  id: string
  newest: boolean
  here: boolean
  secrets: number
}

/** The keys of this Galley, newest first, and missing ones. */
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
