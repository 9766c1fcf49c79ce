import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { acquireAdvisoryLock, advisoryLocks } from '../database/advisory-lock.ts'
import { databaseFailure } from '../database/errors.ts'
import { named } from '../database/statement.ts'
import { inTransaction, type Queryable } from '../database/transaction.ts'
import { GalleyError } from '../errors.ts'
import { pluralize } from '../lib/text.ts'
import { type Keyring, type KeyringSettings, loadKeyring, type SealedColumn } from '../secrets/index.ts'
import { addKeyToFile, keyFilePath, removeKeyFromFile } from '../secrets/key-file.ts'
import { withInterruptionAdvice } from './interrupted.ts'
import {
  countKeyUse,
  countKeyUses,
  describeRow,
  isCountedSql,
  sealedColumns,
  selectedColumns,
} from './sealed-columns.ts'

/** Rows of a transaction, locked for some milliseconds. */
const RESEAL_BATCH = 100

interface ResealResult {
  /** Secrets that were encrypted anew. */
  secrets: number
  unreadable: string[]
}

interface ResealPass {
  pool: Pool
  keyring: Keyring
  /** Called after each batch, which is on disk, with how many it had. */
  onBatch?: (secrets: number) => Promise<void> | void
}

/**
 * Reseals secrets of older keys in batches. Skips locked rows; the caller makes another pass. Safe
 * to kill: the key of each secret shows what is done.
 */
async function resealSecrets(pass: ResealPass): Promise<ResealResult> {
  const total: ResealResult = { secrets: 0, unreadable: [] }
  for (const column of sealedColumns) {
    let after: string[] | null = column.key.map(() => '00000000-0000-0000-0000-000000000000')
    while (after !== null) {
      const { last, resealed, unreadable } = await resealInTransaction(pass, column, after)
      if (resealed > 0) await pass.onBatch?.(resealed)
      total.secrets += resealed
      total.unreadable.push(...unreadable)
      after = last
    }
  }
  return total
}

interface ResealBatch {
  /** Key of the last row; null after the last batch. */
  last: string[] | null
  resealed: number
  unreadable: string[]
}

async function resealInTransaction(
  pass: ResealPass,
  column: SealedColumn,
  after: readonly string[],
): Promise<ResealBatch> {
  try {
    return await inTransaction(pass.pool, (database) => resealBatch(database, pass.keyring, column, after))
  } catch (error) {
    if (databaseFailure(error) !== 'conflict') throw error
    return resealInTransaction(pass, column, after)
  }
}

async function resealBatch(
  database: Queryable,
  keyring: Keyring,
  column: SealedColumn,
  after: readonly string[],
): Promise<ResealBatch> {
  const { table, key } = column
  const { rows } = await database.query<Record<string, string>>(
    named(
      // A lock that leaves the key alone, so that events and deliveries may still reference the
      // row.
      `SELECT ${selectedColumns(column)} FROM ${table}
       WHERE (${key.join(', ')}) > (${key.map((_, at) => `:after${at}::uuid`).join(', ')})
         AND ${isCountedSql(column)} AND split_part(${column.column}, '.', 2) <> :newest
       ORDER BY ${key.join(', ')} LIMIT ${RESEAL_BATCH} FOR NO KEY UPDATE SKIP LOCKED`,
      { ...Object.fromEntries(after.map((id, at) => [`after${at}`, id])), newest: keyring.newestId },
    ),
  )
  const resealed: { row: Record<string, string>; sealed: string }[] = []
  const unreadable: string[] = []
  for (const row of rows) {
    const sealed = resealRow(keyring, column, row)
    if (sealed === null) unreadable.push(describeRow(column, row))
    else resealed.push({ row, sealed })
  }
  if (resealed.length > 0) await storeResealed(database, column, resealed)
  const end = rows.length < RESEAL_BATCH ? undefined : rows.at(-1)
  return {
    last: end === undefined ? null : key.map((name) => end[name] as string),
    resealed: resealed.length,
    unreadable,
  }
}

function resealRow(keyring: Keyring, column: SealedColumn, row: Record<string, string>): string | null {
  try {
    return column.seal(keyring, row, column.read(keyring, row, row[column.column] as string))
  } catch (error) {
    if (error instanceof GalleyError) return null
    throw error
  }
}

async function storeResealed(
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

interface RotationSummary extends ResealResult {
  newest: string
  /** Whether this rotation created the newest key. */
  made: boolean
  /** Keys that no secret needs any more. */
  idle: string[]
}

/** Passes until no older key is in use; each finds rows that were locked before. */
const MAX_PASSES = 40
const PASS_PAUSE_MS = 250

/**
 * Adds a secret key and encrypts everything with it while Galley runs; processes read the new key
 * when they meet it. Finishes an interrupted rotation instead of adding a key. With
 * `GALLEY_SECRET_KEYS`, the first key there is used.
 *
 * @param onProgress secrets encrypted anew so far
 * @throws GalleyError `rotation_under_way`, `rotation_key_needed`, `rotation_unfinished`, and as
 * sayingWhatIsLeft does
 */
export function rotateSecrets(
  pool: Pool,
  settings: KeyringSettings,
  onProgress?: (secrets: number) => Promise<void> | void,
): Promise<RotationSummary> {
  return withInterruptionAdvice(ROTATION_ADVICE, () =>
    withRotationLock(pool, () => runRotation(pool, settings, onProgress)),
  )
}

const ROTATION_ADVICE = 'No secret and no key is lost. Run this again: it goes on where it ended.'

async function runRotation(
  pool: Pool,
  settings: KeyringSettings,
  onProgress: ((secrets: number) => Promise<void> | void) | undefined,
): Promise<RotationSummary> {
  const keyring = await loadKeyring(settings)
  const made = !(await isUnfinished(pool, keyring))
  if (made) {
    if (settings.secretKeys !== undefined) throw keyNeeded(keyring.newestId)
    await addKeyToFile(keyFilePath(settings.dataDir))
  }
  let secrets = 0
  for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
    const { unreadable } = await resealSecrets({
      pool,
      keyring,
      onBatch: (done) => {
        secrets += done
        return onProgress?.(secrets)
      },
    })
    if (await isUnfinished(pool, keyring)) {
      await sleep(PASS_PAUSE_MS)
      continue
    }
    const newest = keyring.newestId
    return { newest, made, secrets, idle: keyring.ids().filter((id) => id !== newest), unreadable }
  }
  throw unfinished()
}

/** Whether a readable secret is under an older key. */
async function isUnfinished(pool: Pool, keyring: Keyring): Promise<boolean> {
  const needs = await countKeyUses(pool, keyring)
  return needs.some(({ id, secrets }) => id !== keyring.newestId && secrets > 0)
}

/**
 * Removes an unused key.
 *
 * @returns true where it was removed from the data folder's file; false where the operator must
 * remove it from `GALLEY_SECRET_KEYS`
 * @throws GalleyError `secret_key_needed`, `secret_key_unknown`, `rotation_under_way`
 */
export async function dropSecretKey(pool: Pool, settings: KeyringSettings, id: string): Promise<boolean> {
  return withRotationLock(pool, async () => {
    const keyring = await loadKeyring(settings)
    if (!keyring.ids().includes(id)) throw unknownKey(id, keyring.ids())
    if (id === keyring.newestId) throw newestKey(id)
    const secrets = await countKeyUse(pool, keyring, id)
    if (secrets > 0) throw needed(id, secrets)
    if (settings.secretKeys !== undefined) return false
    await removeKeyFromFile(keyFilePath(settings.dataDir), id)
    return true
  })
}

/** Two concurrent rotations would lose one key of the file. */
async function withRotationLock<Result>(pool: Pool, work: () => Promise<Result>): Promise<Result> {
  const session: PoolClient = await pool.connect()
  try {
    if (!(await acquireAdvisoryLock(session, advisoryLocks.rotation, 2_000))) throw rotationUnderWay()
    return await work()
  } finally {
    // Ends the session, and the lock with it.
    session.release(true)
  }
}

const rotationUnderWay = () =>
  new GalleyError({
    code: 'rotation_under_way',
    action: 'retry',
    message: 'The secret keys of this Galley are just being changed by another process. Let it finish.',
  })

const keyNeeded = (newest: string) =>
  new GalleyError({
    code: 'rotation_key_needed',
    action: 'owner',
    message:
      `Everything is encrypted with the key "${newest}" already, the first of GALLEY_SECRET_KEYS. To change it, add a new key ` +
      'to GALLEY_SECRET_KEYS of every process as docs/operations.md says, and run this again. Make one with: echo "$(date +%F):$(openssl rand -base64 32)"',
  })

const unfinished = () =>
  new GalleyError({
    code: 'rotation_unfinished',
    action: 'retry',
    message:
      'Secrets are still being stored with an older key: a process runs that does not know the newest one yet. Restart every Galley on this database, and run this again.',
  })

const needed = (id: string, secrets: number) =>
  new GalleyError({
    code: 'secret_key_needed',
    action: 'owner',
    message: `The key "${id}" stays: ${pluralize(secrets, 'secret')} can be read with it alone. Run: galley secrets rotate`,
  })

const newestKey = (id: string) =>
  new GalleyError({
    code: 'secret_key_needed',
    action: 'owner',
    message: `The key "${id}" stays: new secrets are encrypted with it. Run galley secrets rotate first.`,
  })

const unknownKey = (id: string, known: readonly string[]) =>
  new GalleyError({
    code: 'secret_key_unknown',
    action: 'owner',
    message: `There is no secret key "${id}" here. There are: ${known.join(', ')}.`,
  })
