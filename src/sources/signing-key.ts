/** How Standard Webhooks mark a secret that is written in base64. */
const PREFIX = 'whsec_'

/** Bytes that Standard Webhooks ask of a secret at least. */
const LEAST_BYTES = 24

/** The key behind a signing secret: of `whsec_BASE64` the bytes that it writes; any other is its own bytes. */
export const signingKey = (secret: string): Buffer =>
  secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret)

/** Whether a secret that says it is in base64 is, and long enough. Decoding alone takes anything: `!!!!` is no bytes. */
export function isSoundSecret(secret: string): boolean {
  if (!secret.startsWith(PREFIX)) return true
  const written = secret.slice(PREFIX.length)
  const key = Buffer.from(written, 'base64')
  return key.length >= LEAST_BYTES && key.toString('base64').replaceAll('=', '') === withoutPadding(written)
}

const withoutPadding = (text: string): string => text.replace(/={1,2}$/, '')
