import { isUtf8 } from 'node:buffer'
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { GalleyError } from '../errors.ts'
import { signingKey } from '../sources/signing-key.ts'

/**
 * Proves that a webhook was made by one who knows a signing secret of the source. The contract shows no signature of
 * its own, so the two customary forms are read:
 * - Standard Webhooks (standardwebhooks.com): `webhook-id`, `webhook-timestamp`, `webhook-signature: v1,BASE64`;
 * - a plain `X-Signature-256` or `X-Hub-Signature-256: sha256=HEX` over the body.
 *
 * @param secrets any of which may have signed; none where the source does not sign
 * @throws GalleyError 401 `SIGNATURE_MISSING`, `SIGNATURE_INVALID` or `SIGNATURE_EXPIRED`
 */
export function requireSignature(
  secrets: readonly string[],
  headers: IncomingHttpHeaders,
  body: Buffer,
): void {
  if (secrets.length === 0) return
  const standard = one(headers['webhook-signature'])
  if (standard === undefined) requirePlain(secrets, headers, body)
  else requireStandard(secrets, standard, headers, body)
}

function requirePlain(secrets: readonly string[], headers: IncomingHttpHeaders, body: Buffer): void {
  const plain = one(headers['x-signature-256']) ?? one(headers['x-hub-signature-256'])
  if (plain === undefined) {
    throw refusal(
      'SIGNATURE_MISSING',
      'This source expects signed webhooks: send webhook-id, webhook-timestamp and webhook-signature, or X-Signature-256.',
    )
  }
  const fits = (secret: string) =>
    equal(plain, `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  if (!secrets.some(fits)) throw invalid()
}

function requireStandard(
  secrets: readonly string[],
  signature: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
): void {
  const id = one(headers['webhook-id'])
  const timestamp = one(headers['webhook-timestamp'])
  if (!id || !timestamp)
    throw refusal('SIGNATURE_MISSING', 'webhook-signature came without webhook-id or webhook-timestamp.')
  // The library signs text: what is none would be signed as if its bytes were others.
  if (!isUtf8(body)) throw invalid()
  const given = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
  const failures = secrets.map((secret) => failureOf(secret, given, body))
  if (failures.includes(null)) return
  if (failures.some((failure) => failure !== null && /timestamp|Signature Headers/.test(failure)))
    throw refusal('SIGNATURE_EXPIRED', "webhook-timestamp is more than 5 minutes from this server's clock.")
  throw invalid()
}

/** Why a secret did not make this signature, in the library's words; null where it did. */
function failureOf(secret: string, headers: Record<string, string>, body: Buffer): string | null {
  const key = signingKey(secret)
  // From a time when such secrets were accepted: anybody could sign with it.
  if (key.length === 0) return 'an empty secret'
  try {
    new Webhook(key, { format: 'raw' }).verify(body, headers, { jsonParse: false })
    return null
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.message
    throw error
  }
}

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

function equal(given: string, expected: string): boolean {
  const a = Buffer.from(given)
  const b = Buffer.from(expected)
  return a.length === b.length && timingSafeEqual(a, b)
}

const refusal = (code: string, message: string): GalleyError =>
  new GalleyError({ code, message, httpStatus: 401, fault: 'owner', action: 'owner' })

const invalid = (): GalleyError =>
  refusal('SIGNATURE_INVALID', 'The signature does not fit the body and the signing secret of this source.')
