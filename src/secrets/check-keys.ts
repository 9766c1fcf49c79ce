import { GalleyError } from '../errors.ts'
import { groupBy } from '../lib/group-by.ts'
import { pluralize } from '../lib/text.ts'
import { type Keyring, sealedKeyId } from './keyring.ts'

export interface StoredSecret {
  /** As `v1.<key id>.…` */
  sealed: string
  of: 'site' | 'source' | 'account' | 'receiver'
  /** `secret_key_missing`, `secret_unreadable`; null where it can be read. */
  failure: string | null
}

/** Secrets unreadable because their key is missing or differs under the same id. */
interface KeyMismatch {
  keyId: string
  why: 'missing' | 'wrong'
  /** As `2 sites and 1 source`. */
  owners: string
}

export interface KeyCheck {
  mismatches: KeyMismatch[]
  /** Unreadable secrets whose key reads others: moved or damaged. */
  damaged: number
}

/** Tries every secret. A key is wrong where it reads none of those under its id. */
export function checkKeys(secrets: readonly StoredSecret[]): KeyCheck {
  const byKey = groupBy(secrets, ({ sealed }) => sealedKeyId(sealed))
  const keyCheck: KeyCheck = { mismatches: [], damaged: 0 }
  for (const [keyId, same] of byKey) {
    const failures = same.map(({ failure }) => failure).filter((code) => code !== null)
    if (failures.length < same.length) keyCheck.damaged += failures.length
    else
      keyCheck.mismatches.push({
        keyId,
        why: failures.includes('secret_key_missing') ? 'missing' : 'wrong',
        owners: [...groupBy(same, ({ of }) => of)]
          .map(([of, secrets]) => pluralize(secrets.length, of))
          .join(' and '),
      })
  }
  return keyCheck
}

/** Advice on wrong keys, as a 503; undefined where they fit. */
export function keyMismatchError({ mismatches }: KeyCheck): GalleyError | undefined {
  if (mismatches.length === 0) return undefined
  const sentences = mismatches.map(({ keyId, why, owners }) =>
    why === 'missing'
      ? `the key "${keyId}", which encrypted the secrets of ${owners}, is not among them`
      : `the key "${keyId}" is not the one that encrypted the secrets of ${owners} under this name`,
  )
  return new GalleyError({
    code: 'SECRET_KEYS_UNFIT',
    httpStatus: 503,
    action: 'owner',
    message:
      `The secret keys of this Galley do not fit its database: ${sentences.join('; ')}. ` +
      'Put the right keys into GALLEY_SECRET_KEYS (or the file secret-keys of the data folder), the newest first, and start Galley again: ' +
      'what is waiting then continues by itself. If a key is lost, enter those secrets again.',
  })
}

/** A keyring that refuses to encrypt with a wrong key: the secret would be lost once the right one is back. */
export const withKeyCheck = (keyring: Keyring, keyCheck: () => KeyCheck): Keyring => ({
  get newestId() {
    return keyring.newestId
  },
  ids: keyring.ids,
  decrypt: keyring.decrypt,
  encrypt(secret, identity, origin) {
    const found = keyCheck()
    const wrong = found.mismatches.some(({ keyId, why }) => why === 'wrong' && keyId === keyring.newestId)
    const problem = wrong ? keyMismatchError(found) : undefined
    if (problem) throw problem
    return keyring.encrypt(secret, identity, origin)
  },
})

/** An encrypted column, and what its secrets are bound to. */
export interface SealedColumn {
  table: string
  column: string
  /** Columns of the primary key, all UUIDs. */
  key: readonly [string, ...string[]]
  /** Column with the address whose origin a secret is bound to; none unless given. */
  address?: string
  /** SQL of the rows whose secret counts; all unless given. */
  live?: string
  of: StoredSecret['of']
  /** The identity of a secret (see {@link Keyring}), by the values of `key`. */
  identity: (...key: string[]) => string
}

/** The key columns of a row, its address, and the secret itself. */
export type SealedRow = Readonly<Record<string, string>>

const boundTo = ({ key, address, identity }: SealedColumn, row: SealedRow): [string, string | undefined] => [
  identity(...key.map((name) => row[name] as string)),
  address && new URL(row[address] as string).origin,
]

/** @throws GalleyError `secret_key_missing`, `secret_unreadable` */
export const openSealed = (keyring: Keyring, column: SealedColumn, row: SealedRow): string =>
  keyring.decrypt(row[column.column] as string, ...boundTo(column, row))

/** The secret of a row; null, and the code of the error, where it cannot be read. */
export function tryOpen(keyring: Keyring, column: SealedColumn, row: SealedRow) {
  try {
    return { secret: openSealed(keyring, column, row), failure: null }
  } catch (error) {
    if (error instanceof GalleyError) return { secret: null, failure: error.code }
    throw error
  }
}

export const sealFor = (keyring: Keyring, column: SealedColumn, row: SealedRow, secret: string): string =>
  keyring.encrypt(secret, ...boundTo(column, row))
