import { expect, test } from 'vitest'
import { createApiKey, createToken, hashToken, isApiKey, secretsEqual } from '../../src/secrets/keyring.ts'

test('an API key has 55 characters: gly_sk_ and 48 hexadecimal ones', () => {
  const key = createApiKey()
  expect(key).toHaveLength(55)
  expect(key).toMatch(/^gly_sk_[0-9a-f]{48}$/)
  expect(isApiKey(key)).toBe(true)
})

test.each([
  '',
  'gly_sk_',
  `gly_sk_${'g'.repeat(48)}`,
  `gly_sk_${'a'.repeat(47)}`,
  `gly_sk_${'a'.repeat(49)}`,
  `GLY_SK_${'a'.repeat(48)}`,
  `gly_sk_${'a'.repeat(48)}\n`,
])('%j is not an API key', (text) => {
  expect(isApiKey(text)).toBe(false)
})

test('tokens do not repeat', () => {
  expect(new Set(Array.from({ length: 1000 }, createToken)).size).toBe(1000)
})

test('a token is kept as its SHA-256', () => {
  // FIPS 180-4's own example.
  expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('secrets are the same only when every character is', () => {
  expect(secretsEqual('whsec_abc', 'whsec_abc')).toBe(true)
  expect(secretsEqual('whsec_abc', 'whsec_abd')).toBe(false)
  expect(secretsEqual('whsec_abc', 'whsec_ab')).toBe(false)
  expect(secretsEqual('', 'whsec_abc')).toBe(false)
})
