import type { Pool } from 'pg'
import type { Queryable } from '../database/transaction.ts'
import { idempotentAnswer } from '../idempotency/idempotency.ts'
import { groupBy } from '../lib/group-by.ts'
import { notificationSecret, receiverSecrets } from '../notifications/signing-secrets.ts'
import {
  openSealed,
  readFailure,
  type SealedColumn,
  type SealedRow,
  type StoredSecret,
} from '../secrets/check-keys.ts'
import { type KeyringSettings, loadKeyring } from '../secrets/key-file.ts'
import { type Keyring, sealedKeyId } from '../secrets/keyring.ts'
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

/** Answers to keyed requests are kept for a day, and there may be millions: a start, which tries each secret, would not end. */
const triedAtStart: typeof sealedColumns = sealedColumns.filter((column) => column !== idempotentAnswer)

/** The secrets that count, each to be tried. */
export async function storedSecrets(database: Queryable, keyring: Keyring, columns = triedAtStart) {
  const secrets: StoredSecret[] = []
  for (const column of columns) {
    const { rows } = await database.query<SealedRow>(selectSecrets(column))
    for (const row of rows)
      secrets.push({
        sealed: row[column.column] as string,
        of: column.of,
        read: () => openSealed(keyring, column, row),
      })
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

/** SQL of the rows of a column whose secret counts. */
export const selectSecrets = ({ table, column, key, address, live }: SealedColumn): string =>
  `SELECT ${[...key, ...(address === undefined ? [] : [address]), column].join(', ')} FROM ${table}
   WHERE ${column} IS NOT NULL${live === undefined ? '' : ` AND ${live}`}`

/** How many secrets each key has encrypted, and how many of them it reads, by its id. */
export async function countKeyUses(pool: Pool, keyring: Keyring) {
  const byKey = groupBy(await storedSecrets(pool, keyring, sealedColumns), ({ sealed }) =>
    sealedKeyId(sealed),
  )
  const count = (secrets: readonly StoredSecret[]) => ({
    stored: secrets.length,
    readable: secrets.filter((secret) => readFailure(secret) === null).length,
  })
  return new Map([...byKey].map(([id, secrets]) => [id, count(secrets)]))
}

/** The keys of this Galley, newest first, and missing ones. */
export async function listSecretKeys(pool: Pool, settings: KeyringSettings) {
  const keyring = await loadKeyring(settings)
  const uses = await countKeyUses(pool, keyring)
  const here = keyring.ids()
  return [...new Set([...here, ...uses.keys()])].map((id) => ({
    id,
    newest: id === keyring.newestId,
    here: here.includes(id),
    secrets: uses.get(id)?.stored ?? 0,
  }))
}
