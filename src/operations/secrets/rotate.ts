import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { locks, takeLock } from '../../database/advisory-lock.ts'
import { GalleyError } from '../../errors.ts'
import { type Keyring, type KeyringSettings, loadKeyring } from '../../secrets/index.ts'
import { addKey, keyFile, removeKey } from '../../secrets/key-file.ts'
import { counted } from '../../text.ts'
import { sayingWhatIsLeft } from '../interrupted.ts'
import { keyNeeds, needOf } from './needs.ts'
import { reseal } from './reseal.ts'

/** What came of a rotation. */
export interface Rotation {
  /** The key that encrypts now. */
  newest: string
  /** Whether this rotation has made it. */
  made: boolean
  /** Secrets that were encrypted anew. */
  secrets: number
  /** Keys that no secret needs any more. */
  idle: string[]
  /** Secrets that no key reads. */
  unreadable: string[]
}

/** Passes until nothing is under an older key: rows that somebody was changing are found by the next. */
const PASSES = 40
const BETWEEN_MS = 250

/**
 * Adds a new secret key and encrypts everything with it, while Galley runs: a process reads the new key as soon as it
 * meets it, and goes on reading the older ones. Where an earlier rotation was cut off, that one is finished and no key
 * is added. Keys that stand in `GALLEY_SECRET_KEYS` are the operator's: there the first one is taken.
 *
 * @param onProgress how many secrets have been encrypted anew so far
 * @throws GalleyError `rotation_under_way`, `rotation_key_needed`, `rotation_unfinished`, and as sayingWhatIsLeft does
 */
export function rotateSecrets(
  pool: Pool,
  settings: KeyringSettings,
  onProgress?: (secrets: number) => Promise<void> | void,
): Promise<Rotation> {
  return sayingWhatIsLeft(LEFT, () => alone(pool, () => rotate(pool, settings, onProgress)))
}

const LEFT = 'No secret and no key is lost. Run this again: it goes on where it ended.'

async function rotate(
  pool: Pool,
  settings: KeyringSettings,
  onProgress: ((secrets: number) => Promise<void> | void) | undefined,
): Promise<Rotation> {
  const keyring = await loadKeyring(settings)
  const made = !(await isUnfinished(pool, keyring))
  if (made) {
    if (settings.secretKeys !== undefined) throw keyNeeded(keyring.newestId)
    await addKey(keyFile(settings.dataDir))
  }
  let secrets = 0
  for (let pass = 1; pass <= PASSES; pass += 1) {
    const { unreadable } = await reseal({
      pool,
      keyring,
      onBatch: (done) => {
        secrets += done
        return onProgress?.(secrets)
      },
    })
    if (await isUnfinished(pool, keyring)) {
      await sleep(BETWEEN_MS)
      continue
    }
    const newest = keyring.newestId
    return { newest, made, secrets, idle: keyring.ids().filter((id) => id !== newest), unreadable }
  }
  throw unfinished()
}

/** Whether a secret is under another key than the newest that a key reads. */
async function isUnfinished(pool: Pool, keyring: Keyring): Promise<boolean> {
  const needs = await keyNeeds(pool, keyring)
  return needs.some(({ id, secrets }) => id !== keyring.newestId && secrets > 0)
}

/**
 * Takes a key away for good, if nothing needs it.
 *
 * @returns whether it was taken out of the data folder's file; false where the operator has to take it out of
 *   `GALLEY_SECRET_KEYS`, and may
 * @throws GalleyError `secret_key_needed`, `secret_key_unknown`, `rotation_under_way`
 */
export async function dropKey(pool: Pool, settings: KeyringSettings, id: string): Promise<boolean> {
  return alone(pool, async () => {
    const keyring = await loadKeyring(settings)
    if (!keyring.ids().includes(id)) throw unknownKey(id, keyring.ids())
    if (id === keyring.newestId) throw newestKey(id)
    const secrets = await needOf(pool, keyring, id)
    if (secrets > 0) throw needed(id, secrets)
    if (settings.secretKeys !== undefined) return false
    await removeKey(keyFile(settings.dataDir), id)
    return true
  })
}

/** One rotation at a time on a database: of two that add a key to one file, one key would be lost. */
async function alone<Result>(pool: Pool, work: () => Promise<Result>): Promise<Result> {
  const session: PoolClient = await pool.connect()
  try {
    if (!(await takeLock(session, locks.rotation, 2_000))) throw underWay()
    return await work()
  } finally {
    // Ends the session, and the lock with it.
    session.release(true)
  }
}

const underWay = () =>
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
    message: `The key "${id}" stays: ${counted(secrets, 'secret')} can be read with it alone. Run: galley secrets rotate`,
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
