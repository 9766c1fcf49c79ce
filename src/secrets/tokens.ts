import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** An API key: `gly_sk_` and 48 hexadecimal characters (192 bits), 55 in all. docs/contract.md. */
export const createApiKey = (): string => `gly_sk_${createToken()}`

/** Checks the form alone. */
export const isApiKey = (text: string): boolean => /^gly_sk_[0-9a-f]{48}$/.test(text)

/** Token of a source's webhook address: 48 hexadecimal characters, 192 bits. */
export const createToken = (): string => randomBytes(24).toString('hex')

/** Checks the form alone. */
export const isToken = (text: string): boolean => /^[0-9a-f]{48}$/.test(text)

/**
 * The stored hash of a token or key: SHA-256, in hexadecimal. Tokens are random and long and need
 * no salt or slow hash.
 */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Compares secrets in constant time, whatever their lengths. */
export function secretsEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
