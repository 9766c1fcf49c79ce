import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { GalleyError } from '../errors.ts'

/** How far a signed timestamp may be from our clock, in seconds; the value Standard Webhooks suggests. */
const TOLERANCE_S = 300

/**
 * Proves that a webhook was made by one who knows the source's signing secret. spec.md shows no signature of
 * its own, so the two customary forms are read:
 * - Standard Webhooks (standardwebhooks.com): `webhook-id`, `webhook-timestamp`, `webhook-signature: v1,BASE64`
 *   over `id.timestamp.body`;
 * - a plain `X-Signature-256` or `X-Hub-Signature-256: sha256=HEX` over the body.
 *
 * @throws GalleyError 401 `SIGNATURE_MISSING`, `SIGNATURE_INVALID` or `SIGNATURE_EXPIRED`
 */
export function requireSignature(
  secret: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
  now = Date.now(),
): void {
  const standard = text(headers['webhook-signature'])
  if (standard === undefined) requirePlain(secret, headers, body)
  else requireStandard(secret, standard, headers, body, now)
}

function requirePlain(secret: string, headers: IncomingHttpHeaders, body: Buffer): void {
  const plain = text(headers['x-signature-256']) ?? text(headers['x-hub-signature-256'])
  if (plain === undefined) {
    throw refusal(
      'SIGNATURE_MISSING',
      'This source expects signed webhooks: send webhook-id, webhook-timestamp and webhook-signature, or X-Signature-256.',
    )
  }
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  if (!equal(plain, expected)) throw invalid()
}

function requireStandard(
  secret: string,
  signatures: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
  now: number,
): void {
  const id = text(headers['webhook-id'])
  const timestamp = text(headers['webhook-timestamp'])
  if (id === undefined || timestamp === undefined) {
    throw refusal('SIGNATURE_MISSING', 'webhook-signature came without webhook-id or webhook-timestamp.')
  }
  const signed = createHmac('sha256', standardKey(secret)).update(`${id}.${timestamp}.`).update(body)
  const expected = signed.digest('base64')
  // Several signatures stand side by side while a secret is being changed.
  const known = signatures.split(' ').filter((signature) => signature.startsWith('v1,'))
  if (!known.some((signature) => equal(signature.slice(3), expected))) throw invalid()
  const age = Math.abs(now / 1000 - Number(timestamp))
  if (!(age <= TOLERANCE_S)) {
    throw refusal(
      'SIGNATURE_EXPIRED',
      `webhook-timestamp is more than ${TOLERANCE_S / 60} minutes from this server's clock.`,
    )
  }
}

/** A secret written `whsec_BASE64` is the bytes behind it; any other is its own bytes. */
const standardKey = (secret: string): Buffer =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)

const text = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

function equal(given: string, expected: string): boolean {
  const a = Buffer.from(given)
  const b = Buffer.from(expected)
  return a.length === b.length && timingSafeEqual(a, b)
}

const refusal = (code: string, message: string): GalleyError =>
  new GalleyError({ code, message, httpStatus: 401, whose: 'owner', action: 'owner' })

const invalid = (): GalleyError =>
  refusal('SIGNATURE_INVALID', 'The signature does not fit the body and the signing secret of this source.')
