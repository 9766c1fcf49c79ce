import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { GalleyError, operatorError } from '../errors.ts'
import { pluralize } from '../lib/text.ts'

/** Encrypts what must be readable again: site passwords, signing secrets, upstream keys. */
export interface Keyring {
  readonly newestId: string
  ids(): string[]
  /**
   * @param identity the row and column of the secret, as `source:<id>:signing_secret`; it decrypts nowhere else
   * @param origin the only address that the secret is sent to, as `https://example.com`
   * @returns `v1.<key id>.<nonce>.<ciphertext and tag>`, the last two in base64url
   */
  encrypt(secret: string, identity: string, origin?: string): string
  /** @throws GalleyError `secret_key_missing`, `secret_unreadable` */
  decrypt(stored: string, identity: string, origin?: string): string
}

const algorithm = 'aes-256-gcm'
/** Of GCM, in bytes: NIST SP 800-38D, 5.2.1. */
const nonceBytes = 12
const tagBytes = 16

export type KeyList = readonly [SecretKey, ...SecretKey[]]

/**
 * A keyring whose first key encrypts, and all of whose keys decrypt. Keys once read stay.
 * @param lookAgain rereads the keys before an encryption and for an unknown key: a running process follows a rotation
 */
export function openKeyring(given: KeyList, lookAgain: () => KeyList = () => given): Keyring {
  let keys = given
  const follow = (): SecretKey => {
    const now = lookAgain()
    const gone = keys.filter(({ id }) => !now.some((key) => key.id === id))
    keys = [find(now[0].id) ?? now[0], ...now.slice(1).map((key) => find(key.id) ?? key), ...gone]
    return keys[0]
  }
  const find = (id: string) => keys.find((key) => key.id === id)
  return {
    get newestId() {
      return follow().id
    },

    ids() {
      follow()
      return keys.map(({ id }) => id)
    },

    encrypt(secret, identity, origin) {
      const newest = follow()
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, newest.key, nonce).setAAD(additionalData(identity, origin))
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return [VERSION, newest.id, nonce.toString('base64url'), sealed.toString('base64url')].join('.')
    },

    decrypt(stored, identity, origin) {
      const [version, id, nonce, sealed] = stored.split('.')
      if (version !== VERSION || id === undefined || nonce === undefined || sealed === undefined) {
        throw unreadable('it is not of the form v1.<key id>.<nonce>.<ciphertext>', identity)
      }
      if (!find(id)) follow()
      const found = find(id)
      if (!found)
        throw new GalleyError({
          code: 'secret_key_missing',
          message:
            `The secret ${identity} was encrypted with the key "${id}", which is not among Galley's secret keys. ` +
            'Put that key back, behind the newer ones, in GALLEY_SECRET_KEYS or the data folder; or enter the secret again.',
          action: 'owner',
          httpStatus: 503,
        })
      try {
        const bytes = Buffer.from(sealed, 'base64url')
        const decipher = createDecipheriv(algorithm, found.key, Buffer.from(nonce, 'base64url'), {
          authTagLength: tagBytes,
        })
        decipher.setAAD(additionalData(identity, origin)).setAuthTag(bytes.subarray(-tagBytes))
        return decipher.update(bytes.subarray(0, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
      } catch (cause) {
        throw unreadable(
          `the key "${id}" does not fit it, or it was moved to another row or address, or changed`,
          identity,
          cause,
        )
      }
    },
  }
}

const VERSION = 'v1'

/** No identity has a line break. */
const additionalData = (identity: string, origin: string | undefined): Buffer =>
  Buffer.from(origin === undefined ? identity : `${identity}\n${origin}`)

export const sealedKeyId = (stored: string): string => stored.split('.')[1] ?? ''

const unreadable = (reason: string, identity: string, cause?: unknown) =>
  new GalleyError({
    code: 'secret_unreadable',
    message: `The secret ${identity} cannot be decrypted: ${reason}. Restore the right key, or enter the secret again.`,
    action: 'owner',
    httpStatus: 503,
    cause,
  })

/** A key of the keyring; its id stands in everything that it has encrypted. */
export interface SecretKey {
  id: string
  key: KeyObject
}

const keyBytes = 32

/**
 * Reads `GALLEY_SECRET_KEYS`: `id:key,id:key,…`, newest first; a key is 32 bytes in base64.
 * @param origin source of the text, for the message
 * @throws GalleyError `secret_keys_invalid`, which never shows a key
 */
export function parseSecretKeys(text: string, origin: string): [SecretKey, ...SecretKey[]] {
  const [first, ...rest] = text
    .split(',')
    .map((entry) => entry.trim())
    .map((entry, index) => parseSecretKey(entry, `Key ${index + 1} of ${origin}`))
  if (!first) throw invalid(`${origin} is empty.`)
  const keys: [SecretKey, ...SecretKey[]] = [first, ...rest]
  const twice = keys.find(({ id }, index) => keys.findIndex((other) => other.id === id) !== index)
  if (twice) throw invalid(`${origin} has two keys with the id "${twice.id}".`)
  return keys
}

/** A new key, as `GALLEY_SECRET_KEYS` has it. */
export const generateSecretKey = (): string =>
  `${randomBytes(4).toString('hex')}:${randomBytes(keyBytes).toString('base64')}`

function parseSecretKey(entry: string, name: string): SecretKey {
  const { id, encoded } = /^(?<id>[\w-]{1,32}):(?<encoded>[\w+/-]+=*)$/.exec(entry)?.groups ?? {}
  if (id === undefined || encoded === undefined) throw invalid(`${name} is not of the form id:key.`)
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.length !== keyBytes) {
    throw invalid(`${name} ("${id}") has ${pluralize(bytes.length, 'byte')} instead of ${keyBytes}.`)
  }
  return { id, key: createSecretKey(bytes) }
}

const invalid = (problem: string) =>
  operatorError(
    'secret_keys_invalid',
    `${problem} Expected is id:key,id:key,… with the newest first; create one with: echo "$(date +%F):$(openssl rand -base64 ${keyBytes})"`,
  )

/** An API key: `gly_sk_` and 48 hexadecimal characters (192 bits), 55 in all. docs/contract.md. */
export const createApiKey = (): string => `gly_sk_${createToken()}`

/** Checks the form alone. */
export const isApiKey = (text: string): boolean => /^gly_sk_[0-9a-f]{48}$/.test(text)

/** Token of a source's webhook address: 48 hexadecimal characters, 192 bits. */
export const createToken = (): string => randomBytes(24).toString('hex')

/** A signing secret in the form of Standard Webhooks. */
export const createSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** Checks the form alone. */
export const isToken = (text: string): boolean => /^[0-9a-f]{48}$/.test(text)

/** The stored hash of a token or key: SHA-256, in hexadecimal. Tokens are random and long and need no salt or slow hash. */
export const hashToken = (token: string): string => hash('sha256', token)

/** Compares secrets in constant time, whatever their lengths. */
export const secretsEqual = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))
