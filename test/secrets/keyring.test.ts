import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openKeyring, parseSecretKeys } from '../../src/secrets/keyring.ts'

const entry = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const keyring = (...entries: string[]) =>
  openKeyring(parseSecretKeys(entries.join(','), 'GALLEY_SECRET_KEYS'))

const old = entry('2025')
const current = entry('2026')
const identity = 'site:5f3c:application_password'
const password = 'abcd EFGH 1234 ijkl MNOP 6789 – ü'

test('what is encrypted decrypts again in its own place', () => {
  const ring = keyring(current)
  expect(ring.decrypt(ring.encrypt(password, identity), identity)).toBe(password)
})

test('an empty secret survives too', () => {
  const ring = keyring(current)
  expect(ring.decrypt(ring.encrypt('', identity), identity)).toBe('')
})

test('the stored form names version and key, and shows nothing of the secret', () => {
  const stored = keyring(current).encrypt('hunter2', identity)
  expect(stored).toMatch(/^v1\.2026\.[\w-]{16}\.[\w-]+$/)
  expect(stored).not.toContain('hunter2')
  expect(stored).not.toContain(Buffer.from('hunter2').toString('base64url'))
})

test('the same secret never looks the same twice', () => {
  const ring = keyring(current)
  const stored = Array.from({ length: 100 }, () => ring.encrypt(password, identity))
  expect(new Set(stored).size).toBe(100)
})

test('a secret copied to another row does not decrypt there', () => {
  const ring = keyring(current)
  const stored = ring.encrypt(password, identity)
  expect(() => ring.decrypt(stored, 'site:0000:application_password')).toThrow(
    expect.objectContaining({ code: 'secret_unreadable' }),
  )
})

test('a changed character anywhere is noticed', () => {
  const ring = keyring(current)
  const stored = ring.encrypt(password, identity)
  const accepted = [...stored].filter((character, index) => {
    const changed = `${stored.slice(0, index)}${character === 'A' ? 'B' : 'A'}${stored.slice(index + 1)}`
    try {
      return ring.decrypt(changed, identity) !== password
    } catch {
      return false
    }
  })
  expect(accepted).toEqual([])
})

test('a shortened tag is refused', () => {
  const ring = keyring(current)
  expect(() => ring.decrypt(ring.encrypt('', identity).slice(0, -4), identity)).toThrow(
    expect.objectContaining({ code: 'secret_unreadable' }),
  )
})

test('the first key encrypts, and those behind it still decrypt', () => {
  const stored = keyring(old).encrypt(password, identity)
  const rotated = keyring(current, old)
  expect(rotated.decrypt(stored, identity)).toBe(password)
  expect(rotated.encrypt(password, identity)).toMatch(/^v1\.2026\./)
})

test('a key that was taken away is named, with what to do', () => {
  const stored = keyring(old).encrypt(password, identity)
  expect(() => keyring(current).decrypt(stored, identity)).toThrow(
    expect.objectContaining({
      code: 'secret_key_missing',
      message: expect.stringMatching(/site:5f3c:application_password .*"2025".*GALLEY_SECRET_KEYS/),
    }),
  )
})

test('another key under the same id is told from a missing one', () => {
  const stored = keyring(current).encrypt(password, identity)
  expect(() => keyring(entry('2026')).decrypt(stored, identity)).toThrow(
    expect.objectContaining({ code: 'secret_unreadable' }),
  )
})

test('what was never encrypted is not taken for a secret', () => {
  expect(() => keyring(current).decrypt('plain text', identity)).toThrow(
    expect.objectContaining({ code: 'secret_unreadable' }),
  )
})

const mistakes: [mistake: string, text: string, said: RegExp][] = [
  ['nothing', '', /Key 1 .* not of the form id:key/],
  ['no id', randomBytes(32).toString('base64'), /Key 1 .* not of the form id:key/],
  ['a trailing comma', `${current},`, /Key 2 .* not of the form id:key/],
  ['an id with a dot', entry('a.b'), /Key 1 .* not of the form id:key/],
  [
    'a short key',
    `${current},b:${randomBytes(16).toString('base64')}`,
    /Key 2 .*"b".* 16 bytes instead of 32/,
  ],
  ['an id twice', `${entry('a')},${entry('a')}`, /two keys with the id "a"/],
]

test.each(mistakes)('%s is refused with the place of the mistake and never the key', (_, text, said) => {
  const keys = text.split(/[,:]/).filter((part) => part.length > 10)
  try {
    parseSecretKeys(text, 'GALLEY_SECRET_KEYS')
    expect.unreachable()
  } catch (error) {
    expect(error).toMatchObject({ code: 'secret_keys_invalid', message: expect.stringMatching(said) })
    for (const key of keys) expect((error as Error).message).not.toContain(key)
  }
})
