import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { GalleyError } from '../errors.ts'
import { counted } from '../text.ts'

/** A key of the keyring; its id stands in everything that it has encrypted. */
export interface SecretKey {
  id: string
  key: KeyObject
}

const keyBytes = 32

/**
 * Reads `GALLEY_SECRET_KEYS`: `id:key,id:key,…`, the newest first. An id has up to 32 letters, digits, `_` or `-`; a
 * key is 32 bytes in base64.
 *
 * @param origin where the text comes from, for the message
 * @throws GalleyError `secret_keys_invalid`, which never shows a key
 */
export function parseKeys(text: string, origin: string): [SecretKey, ...SecretKey[]] {
  const [first, ...rest] = text
    .split(',')
    .map((entry) => entry.trim())
    .map((entry, index) => parseKey(entry, `Key ${index + 1} of ${origin}`))
  if (!first) throw invalid(`${origin} is empty.`)
  const keys: [SecretKey, ...SecretKey[]] = [first, ...rest]
  const twice = keys.find(({ id }, index) => keys.findIndex((other) => other.id === id) !== index)
  if (twice) throw invalid(`${origin} has two keys with the id "${twice.id}".`)
  return keys
}

/** A new key, as `GALLEY_SECRET_KEYS` has it. */
export const createKey = (): string =>
  `${randomBytes(4).toString('hex')}:${randomBytes(keyBytes).toString('base64')}`

function parseKey(entry: string, name: string): SecretKey {
  const { id, encoded } = /^(?<id>[\w-]{1,32}):(?<encoded>[\w+/-]+=*)$/.exec(entry)?.groups ?? {}
  if (id === undefined || encoded === undefined) throw invalid(`${name} is not of the form id:key.`)
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.length !== keyBytes) {
    throw invalid(`${name} ("${id}") has ${counted(bytes.length, 'byte')} instead of ${keyBytes}.`)
  }
  return { id, key: createSecretKey(bytes) }
}

const invalid = (problem: string) =>
  new GalleyError({
    code: 'secret_keys_invalid',
    message: `${problem} Expected is id:key,id:key,… with the newest first; create one with: echo "$(date +%F):$(openssl rand -base64 ${keyBytes})"`,
    action: 'owner',
  })
