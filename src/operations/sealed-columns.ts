import { escapeLiteral, type Pool } from 'pg'
import { NIL } from 'uuid'
import { queryRows } from '../database/statement.ts'
import type { Queryable } from '../database/transaction.ts'
import { idempotentAnswer } from '../idempotency/idempotency.ts'
import { notificationSecret, receiverSecrets } from '../notifications/signing-secrets.ts'
import { type SealedColumn, type SealedRow, type StoredSecret, tryOpen } from '../secrets/check-keys.ts'
import { type KeyringSettings, loadKeyring } from '../secrets/key-file.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { sitePassword } from '../sites/connection.ts'
import { siteImportSecrets } from '../sites/import-job/job.ts'
import { sourceSecrets } from '../sources/secrets.ts'

/** Every encrypted column: a rotation re-encrypts them. A test finds missing ones. */
export const sealedColumns: readonly SealedColumn[] = [
  sitePassword,
  ...sourceSecrets,
  notificationSecret,
  siteImportSecrets,
  idempotentAnswer,
  ...receiverSecrets,
]

/** Tries the secrets that count. Not the answers to keyed requests, of which a day may have millions: a start would not end. */
export async function storedSecrets(database: Queryable, keyring: Keyring): Promise<StoredSecret[]> {
  const secrets: StoredSecret[] = []
  for (const column of sealedColumns.filter((column) => column !== idempotentAnswer))
    for await (const rows of sealedRows(database, column))
      for (const row of rows)
        secrets.push({
          sealed: row[column.column] as string,
          of: column.of,
          failure: tryOpen(keyring, column, row).failure,
        })
  return secrets
}

/** SQL of the id of the key that a secret is encrypted with. */
const keyIdOf = ({ column }: SealedColumn): string => `split_part(${column}, '.', 2)`

/** SQL: the secret counts. */
const counts = ({ column, live = 'true' }: SealedColumn): string => `${column} IS NOT NULL AND ${live}`

/** Rows of a statement, which a rotation locks for some milliseconds. */
const ROWS_PER_STATEMENT = 100

/** The rows of a column whose secret counts, some at a time, by their keys. @param ofKey those of a key, or of all others */
export async function* sealedRows(
  database: Queryable,
  column: SealedColumn,
  ofKey?: { is: '=' | '<>'; id: string },
): AsyncGenerator<SealedRow[]> {
  const { table, key, address } = column
  const columns = [...key, ...(address === undefined ? [] : [address]), column.column].join(', ')
  const condition = ofKey === undefined ? '' : `AND ${keyIdOf(column)} ${ofKey.is} ${escapeLiteral(ofKey.id)}`
  let after: SealedRow = Object.fromEntries(key.map((name) => [name, NIL]))
  for (;;) {
    const rows: SealedRow[] = await queryRows(
      database,
      `SELECT ${columns} FROM ${table} WHERE ${counts(column)} ${condition}
         AND (${key.join(', ')}) > (${key.map((name) => `:${name}::uuid`).join(', ')})
       ORDER BY ${key.join(', ')} LIMIT ${ROWS_PER_STATEMENT}`,
      Object.fromEntries(key.map((name) => [name, after[name]])),
    )
    if (rows.length > 0) yield rows
    if (rows.length < ROWS_PER_STATEMENT) return
    after = rows.at(-1) as SealedRow
  }
}

/** How many secrets each key has encrypted, known or not, by its id. The database may be older and lack some columns. */
export async function countByKey(database: Queryable): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const column of sealedColumns) {
    const there = await database.query(
      'SELECT FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2 AND column_name = $3',
      ['public', column.table, column.column],
    )
    if (there.rowCount === 0) continue
    const { rows } = await database.query<{ id: string; count: number }>(
      `SELECT ${keyIdOf(column)} AS id, count(*)::int AS count FROM ${column.table} WHERE ${counts(column)} GROUP BY 1`,
    )
    for (const { id, count } of rows) found.set(id, (found.get(id) ?? 0) + count)
  }
  return found
}

/** The keys of this Galley, newest first, and missing ones. */
export async function listSecretKeys(pool: Pool, settings: KeyringSettings) {
  const keyring = await loadKeyring(settings)
  const uses = await countByKey(pool)
  const here = keyring.ids()
  return [...new Set([...here, ...uses.keys()])].map((id) => ({
    id,
    newest: id === keyring.newestId,
    here: here.includes(id),
    secrets: uses.get(id) ?? 0,
  }))
}
