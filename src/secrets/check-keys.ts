import { GalleyError } from '../errors.ts'
import { groupBy } from '../lib/group-by.ts'
import { pluralize } from '../lib/text.ts'
import { type Keyring, sealedKeyId } from './keyring.ts'

export interface StoredSecret {
  /** As `v1.<key id>.…` */
  sealed: string
  /** Plural noun for messages. */
  of: 'sites' | 'sources' | 'accounts' | 'receivers'
  /** @throws GalleyError `secret_key_missing`, `secret_unreadable` */
  read(): unknown
}

/** Secrets unreadable because their key is missing or differs under the same id. */
interface KeyMismatch {
  keyId: string
  why: 'missing' | 'wrong'
  sites: number
  sources: number
  /** With a secret that their notifications are signed with. */
  accounts: number
  receivers: number
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
    const failures = same.map(failureOf).filter((code) => code !== null)
    if (failures.length < same.length) keyCheck.damaged += failures.length
    else
      keyCheck.mismatches.push({
        keyId,
        why: failures.includes('secret_key_missing') ? 'missing' : 'wrong',
        sites: same.filter(({ of }) => of === 'sites').length,
        sources: same.filter(({ of }) => of === 'sources').length,
        accounts: same.filter(({ of }) => of === 'accounts').length,
        receivers: same.filter(({ of }) => of === 'receivers').length,
      })
  }
  return keyCheck
}

function failureOf({ read }: StoredSecret): string | null {
  try {
    read()
    return null
  } catch (error) {
    if (error instanceof GalleyError) return error.code
    throw error
  }
}

/** Advice on wrong keys, as a 503; undefined where they fit. */
export function keyMismatchError({ mismatches }: KeyCheck): GalleyError | undefined {
  if (mismatches.length === 0) return undefined
  const sentences = mismatches.map(({ keyId, why, sites, sources, accounts, receivers }) => {
    const owner = [
      sites > 0 && pluralize(sites, 'site'),
      sources > 0 && pluralize(sources, 'source'),
      accounts > 0 && pluralize(accounts, 'account'),
      receivers > 0 && pluralize(receivers, 'receiver'),
    ]
      .filter(Boolean)
      .join(' and ')
    return why === 'missing'
      ? `the key "${keyId}", which encrypted the secrets of ${owner}, is not among them`
      : `the key "${keyId}" is not the one that encrypted the secrets of ${owner} under this name`
  })
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

/**
 * A keyring that refuses to encrypt with a wrong key: the secret would be lost once the right one
 * is back.
 */
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

/** What a sealed column is read with: its row, by the names that the columns have in the database. */
export type SealedRow = Readonly<Record<string, string | null>>

/** An encrypted column, and how its secrets are read and encrypted. */
export interface SealedColumn {
  table: string
  column: string
  /** Columns of the primary key, all UUIDs. */
  key: readonly [string, ...string[]]
  /** Other columns that a secret is bound to. */
  beside?: readonly string[]
  /** SQL of the rows whose secret counts; all unless given. */
  live?: string
  of: StoredSecret['of']
  /** @throws GalleyError `secret_key_missing`, `secret_unreadable` */
  read(keyring: Keyring, row: SealedRow, sealed: string): string
  seal(keyring: Keyring, row: SealedRow, secret: string): string
}
