import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** An API key: `gly_sk_` and 48 hexadecimal characters (192 bits), 55 in all. docs/contract.md. */
export const createApiKey = (): string => `gly_sk_${createToken()}`

/** Whether a text has the form of an API key; not whether there is such a key. */
export const isApiKey = (text: string): boolean => /^gly_sk_[0-9a-f]{48}$/.test(text)

/** What stands in the address of a source's webhooks: 48 hexadecimal characters, 192 bits. */
export const createToken = (): string => randomBytes(24).toString('hex')

/** Whether a text has the form of such a token; not whether there is such a token. */
export const isToken = (text: string): boolean => /^[0-9a-f]{48}$/.test(text)

/**
 * What is kept of a token or an API key, to find it by: SHA-256, in hexadecimal. They are random and long, so that
 * neither salt nor a slow hash would add anything.
 */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Compares two secrets in a time that tells nothing of where they differ, nor of their lengths. */
export function secretsEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}
