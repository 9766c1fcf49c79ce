import type { Queryable } from '../../database/transaction.ts'
import { idempotentAnswer } from '../../idempotency/once.ts'
import { receiverSecrets } from '../../notifications/receivers/secret.ts'
import { notificationSecret } from '../../notifications/secret.ts'
import type { Keyring, SealedColumn, SealedRow, StoredSecret } from '../../secrets/index.ts'
import { siteImportSecrets } from '../../sites/import-job/requested-site.ts'
import { sitePassword } from '../../sites/stored-secrets.ts'
import { sourceSecrets } from '../../sources/stored-secrets.ts'

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
      `SELECT ${columnsOf(column)} FROM ${column.table} WHERE ${counts(column)}`,
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
export const columnsOf = ({ key, beside, column }: SealedColumn): string =>
  [...key, ...(beside ?? []), column].join(', ')

/** SQL: there is a secret, and it counts. */
export const counts = ({ column, live }: SealedColumn): string =>
  `${column} IS NOT NULL${live === undefined ? '' : ` AND ${live}`}`

/** The row without its secret, as a sentence may name it. */
export const nameOf = ({ table, column, key }: SealedColumn, row: SealedRow): string =>
  `${column} of the ${table} ${row[key[key.length - 1] as string]}`
