import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import { databaseFailure } from '../../database/sqlstates.ts'
import { inTransaction, type Queryable } from '../../database/transaction.ts'
import { GalleyError } from '../../errors.ts'
import type { Keyring, SealedColumn } from '../../secrets/index.ts'
import { columnsOf, counts, nameOf, sealedColumns } from './columns.ts'

/** Rows of one transaction: it holds their locks for some milliseconds. */
const BATCH = 100

/** What became of a pass. */
export interface Resealed {
  /** Secrets that were encrypted anew. */
  secrets: number
  /** Those that no key reads, by where they lie. */
  unreadable: string[]
}

interface Pass {
  pool: Pool
  keyring: Keyring
  /** Called after each batch, which is on disk, with how many it had. */
  onBatch?: (secrets: number) => Promise<void> | void
}

/**
 * Encrypts every secret with the newest key that is under another, a batch at a time. Rows that somebody is just
 * changing are passed over; whoever calls it looks again. Killed at any moment, it has lost nothing and goes on the next
 * time: what is done can be told by its key.
 */
export async function reseal(pass: Pass): Promise<Resealed> {
  const total: Resealed = { secrets: 0, unreadable: [] }
  for (const column of sealedColumns) {
    let after: string[] | null = column.key.map(() => '00000000-0000-0000-0000-000000000000')
    while (after !== null) {
      const { last, resealed, unreadable } = await batch(pass, column, after)
      if (resealed > 0) await pass.onBatch?.(resealed)
      total.secrets += resealed
      total.unreadable.push(...unreadable)
      after = last
    }
  }
  return total
}

interface Batch {
  /** The key of its last row; null where it was the last batch. */
  last: string[] | null
  resealed: number
  unreadable: string[]
}

async function batch(pass: Pass, column: SealedColumn, after: readonly string[]): Promise<Batch> {
  try {
    return await inTransaction(pass.pool, (database) => oneBatch(database, pass.keyring, column, after))
  } catch (error) {
    if (databaseFailure(error) !== 'conflict') throw error
    return batch(pass, column, after)
  }
}

async function oneBatch(
  database: Queryable,
  keyring: Keyring,
  column: SealedColumn,
  after: readonly string[],
): Promise<Batch> {
  const { table, key } = column
  const { rows } = await database.query<Record<string, string>>(
    named(
      // The lock of a change that leaves the key alone: events and deliveries may go on naming the row.
      `SELECT ${columnsOf(column)} FROM ${table}
       WHERE (${key.join(', ')}) > (${key.map((_, at) => `:after${at}::uuid`).join(', ')})
         AND ${counts(column)} AND split_part(${column.column}, '.', 2) <> :newest
       ORDER BY ${key.join(', ')} LIMIT ${BATCH} FOR NO KEY UPDATE SKIP LOCKED`,
      { ...Object.fromEntries(after.map((id, at) => [`after${at}`, id])), newest: keyring.newestId },
    ),
  )
  const resealed: { row: Record<string, string>; sealed: string }[] = []
  const unreadable: string[] = []
  for (const row of rows) {
    const sealed = sealedAnew(keyring, column, row)
    if (sealed === null) unreadable.push(nameOf(column, row))
    else resealed.push({ row, sealed })
  }
  if (resealed.length > 0) await store(database, column, resealed)
  const end = rows.length < BATCH ? undefined : rows.at(-1)
  return {
    last: end === undefined ? null : key.map((name) => end[name] as string),
    resealed: resealed.length,
    unreadable,
  }
}

function sealedAnew(keyring: Keyring, column: SealedColumn, row: Record<string, string>): string | null {
  try {
    return column.seal(keyring, row, column.read(keyring, row, row[column.column] as string))
  } catch (error) {
    if (error instanceof GalleyError) return null
    throw error
  }
}

async function store(
  database: Queryable,
  { table, column, key }: SealedColumn,
  resealed: readonly { row: Record<string, string>; sealed: string }[],
): Promise<void> {
  const keys = Object.fromEntries(key.map((name, at) => [`key${at}`, resealed.map(({ row }) => row[name])]))
  await database.query(
    named(
      `UPDATE ${table} SET ${column} = anew.sealed
       FROM unnest(${key.map((_, at) => `:key${at}::uuid[]`).join(', ')}, :sealed::text[])
         AS anew (${key.map((_, at) => `key${at}`).join(', ')}, sealed)
       WHERE ${key.map((name, at) => `${table}.${name} = anew.key${at}`).join(' AND ')}`,
      { ...keys, sealed: resealed.map(({ sealed }) => sealed) },
    ),
  )
}
