import type { Database } from './database/index.ts'
import { resumeSite } from './delivery/ledger/resume.ts'
import type { GalleyError } from './errors.ts'
import type { Logger } from './log.ts'
import { storedSecrets } from './operations/secrets/columns.ts'
import { checkKeys, type KeyCheck, type Keyring, keyMismatchError, withKeyCheck } from './secrets/index.ts'
import { readableAgain } from './sites/stored-secrets.ts'

/** Between two looks while the keys do not fit, in milliseconds: a secret may be entered again meanwhile. */
const LOOK_AGAIN_MS = 10_000

/** The secret keys of this process, and whether they fit what is stored. */
export interface SecretKeys {
  keyring: Keyring
  /** What is wrong with them; undefined where nothing is. */
  problem(): Promise<GalleyError | undefined>
}

/**
 * Tries the secret keys against the database, and says it where they do not fit. Galley starts all the same: webhooks
 * of senders that do not sign are taken in, and are not lost while somebody looks for the key. What needs a secret that
 * cannot be read is answered 503 or waits, with these words; where a key can be read again, it goes on.
 */
export async function trySecretKeys(
  { pool }: Pick<Database, 'pool'>,
  keyring: Keyring,
  log: Logger,
): Promise<SecretKeys> {
  const look = async (): Promise<KeyCheck> => checkKeys(await storedSecrets(pool, keyring))
  let keyCheck = await look()
  let lookedAt = performance.now()
  const found = keyMismatchError(keyCheck)
  if (found) log.error({ code: found.code }, found.message)
  if (keyCheck.damaged > 0)
    log.warn(
      `${keyCheck.damaged} stored secrets cannot be read, though their key is right: they were moved or damaged. Enter them again where a site or a source says so.`,
    )
  for (const site of await readableAgain(pool, keyring)) {
    const resumed = await resumeSite(pool, site)
    log.info({ site: site.id, resumed }, 'the password of this site can be read again')
  }
  return {
    keyring: withKeyCheck(keyring, () => keyCheck),
    async problem() {
      if (keyCheck.mismatches.length > 0 && performance.now() - lookedAt > LOOK_AGAIN_MS) {
        lookedAt = performance.now()
        keyCheck = await look()
      }
      return keyMismatchError(keyCheck)
    },
  }
}
