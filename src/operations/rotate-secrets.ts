import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { execute } from '../database/statement.ts'
import { acquireAdvisoryLock, advisoryLocks } from '../database/transaction.ts'
import { operatorError, tryLater } from '../errors.ts'
import { pluralize } from '../lib/text.ts'
import { type SealedColumn, type SealedRow, sealFor, tryOpen } from '../secrets/check-keys.ts'
import {
  addKeyToFile,
  type KeyringSettings,
  keyFilePath,
  loadKeyring,
  removeKeyFromFile,
} from '../secrets/key-file.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { withInterruptionAdvice } from './interrupted.ts'
import { sealedColumns, sealedRows } from './sealed-columns.ts'

/** Called after each batch, which is on disk, with a number of secrets. */
type OnProgress = (secrets: number) => Promise<void> | void

interface Pass {
  /** Secrets of older keys that could be read, locked ones among them. */
  found: number
  /** Those that no key reads. */
  unreadable: string[]
}

/** Encrypts older keys' secrets anew, except locked ones; safe to kill and repeat. */
async function resealSecrets(pool: Pool, keyring: Keyring, onBatch: OnProgress): Promise<Pass> {
  const pass: Pass = { found: 0, unreadable: [] }
  for (const column of sealedColumns)
    for await (const rows of sealedRows(pool, column, { is: '<>', id: keyring.newestId })) {
      const resealed = rows.flatMap((row) => {
        const { secret } = tryOpen(keyring, column, row)
        if (secret !== null) return { row, sealed: sealFor(keyring, column, row, secret) }
        pass.unreadable.push(describeRow(column, row))
        return []
      })
      pass.found += resealed.length
      const stored = await storeResealed(pool, column, resealed)
      if (stored > 0) await onBatch(stored)
    }
  return pass
}

interface ResealedRow {
  row: SealedRow
  sealed: string
}

const describeRow = ({ table, column, key }: SealedColumn, row: SealedRow): string =>
  `${column} of the ${table} ${row[key[key.length - 1] as string]}`

/** Stores what was encrypted anew where the row still has the secret that was read. @returns how many rows do */
async function storeResealed(
  pool: Pool,
  { table, column, key }: SealedColumn,
  resealed: readonly ResealedRow[],
): Promise<number> {
  const keys = Object.fromEntries(key.map((name) => [name, resealed.map(({ row }) => row[name])]))
  const isSameRow = (anew: string) => key.map((name) => `t.${name} = ${anew}.${name}`).join(' AND ')
  // The lock leaves the key alone, so that events and deliveries may still reference the row.
  return execute(
    pool,
    `WITH held AS (
       SELECT anew.* FROM unnest(${key.map((name) => `:${name}::uuid[]`).join(', ')}, :was::text[], :sealed::text[])
         AS anew (${key.join(', ')}, was, sealed)
       JOIN ${table} t ON ${isSameRow('anew')} AND t.${column} = anew.was
       FOR NO KEY UPDATE OF t SKIP LOCKED)
     UPDATE ${table} t SET ${column} = held.sealed FROM held WHERE ${isSameRow('held')}`,
    { ...keys, was: resealed.map(({ row }) => row[column]), sealed: resealed.map(({ sealed }) => sealed) },
  )
}

/** Passes until no older key is in use; each finds rows that were locked before. */
const MAX_PASSES = 40
const PASS_PAUSE_MS = 250

/**
 * Adds a secret key and encrypts everything with it while Galley runs, or finishes an interrupted rotation. With
 * `GALLEY_SECRET_KEYS`, the first key there is used.
 * @param onProgress secrets encrypted anew so far
 * @throws GalleyError `rotation_under_way`, `rotation_key_needed`, `rotation_unfinished`, and as {@link withInterruptionAdvice}
 */
export const rotateSecrets = (pool: Pool, settings: KeyringSettings, onProgress?: OnProgress) =>
  withInterruptionAdvice(ROTATION_ADVICE, () =>
    withRotationLock(pool, () => runRotation(pool, settings, onProgress)),
  )

const ROTATION_ADVICE = 'No secret and no key is lost. Run this again: it goes on where it ended.'

async function runRotation(pool: Pool, settings: KeyringSettings, onProgress: OnProgress | undefined) {
  const keyring = await loadKeyring(settings)
  let secrets = 0
  const reseal = () =>
    resealSecrets(pool, keyring, (stored) => {
      secrets += stored
      return onProgress?.(secrets)
    })
  const made = (await reseal()).found === 0
  if (made) {
    if (settings.secretKeys !== undefined)
      throw operatorError(
        'rotation_key_needed',
        `Everything is encrypted with the key "${keyring.newestId}" already, the first of GALLEY_SECRET_KEYS. To change it, add a new key ` +
          'to GALLEY_SECRET_KEYS of every process as docs/operations.md says, and run this again. Make one with: echo "$(date +%F):$(openssl rand -base64 32)"',
      )
    await addKeyToFile(keyFilePath(settings.dataDir))
  }
  for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
    const { found, unreadable } = await reseal()
    if (found > 0) {
      await sleep(PASS_PAUSE_MS)
      continue
    }
    const newest = keyring.newestId
    // No secret needs these any more.
    const idle = keyring.ids().filter((id) => id !== newest)
    return { newest, made, secrets, idle, unreadable }
  }
  throw tryLater(
    'rotation_unfinished',
    'Secrets are still being stored with an older key: a process runs that does not know the newest one yet. Restart every Galley on this database, and run this again.',
  )
}

/** Removes an unused key from the data folder's file. @returns false where it is in `GALLEY_SECRET_KEYS` */
export async function dropSecretKey(pool: Pool, settings: KeyringSettings, id: string): Promise<boolean> {
  return withRotationLock(pool, async () => {
    const keyring = await loadKeyring(settings)
    if (!keyring.ids().includes(id))
      throw operatorError(
        'secret_key_unknown',
        `There is no secret key "${id}" here. There are: ${keyring.ids().join(', ')}.`,
      )
    if (id === keyring.newestId)
      throw operatorError(
        'secret_key_needed',
        `The key "${id}" stays: new secrets are encrypted with it. Run galley secrets rotate first.`,
      )
    let readable = 0
    for (const column of sealedColumns)
      for await (const rows of sealedRows(pool, column, { is: '=', id }))
        readable += rows.filter((row) => tryOpen(keyring, column, row).secret !== null).length
    if (readable > 0)
      throw operatorError(
        'secret_key_needed',
        `The key "${id}" stays: ${pluralize(readable, 'secret')} can be read with it alone. Run: galley secrets rotate`,
      )
    if (settings.secretKeys !== undefined) return false
    await removeKeyFromFile(keyFilePath(settings.dataDir), id)
    return true
  })
}

/** Two concurrent rotations would lose one key of the file. */
async function withRotationLock<Result>(pool: Pool, work: () => Promise<Result>): Promise<Result> {
  const session: PoolClient = await pool.connect()
  try {
    if (!(await acquireAdvisoryLock(session, advisoryLocks.rotation, 2_000)))
      throw tryLater(
        'rotation_under_way',
        'Another process is changing the secret keys of this Galley. Wait until it has finished, then run this again.',
      )
    return await work()
  } finally {
    // Ends the session, and the lock with it.
    session.release(true)
  }
}
