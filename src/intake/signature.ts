import { isUtf8 } from 'node:buffer'
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { GalleyError } from '../errors.ts'
import { signingKey } from '../sources/schema.ts'

/**
 * Proves that a webhook was made by one who knows a signing secret of the source. The contract shows no signature of
 * its own, so the two customary forms are read:
 * - Standard Webhooks (standardwebhooks.com): `webhook-id`, `webhook-timestamp`, `webhook-signature: v1,BASE64`;
 * - a plain `X-Signature-256` or `X-Hub-Signature-256: sha256=HEX` over the body.
 *
 * @param secrets any of which may have signed; none where the source does not sign
 * @throws GalleyError 401 `SIGNATURE_MISSING`, `SIGNATURE_INVALID` or `SIGNATURE_EXPIRED`
 */
export function verifySignature(
  secrets: readonly string[],
  headers: IncomingHttpHeaders,
  body: Buffer,
): void {
  if (secrets.length === 0) return
  const standard = singleHeader(headers['webhook-signature'])
  if (standard === undefined) verifyPlainSignature(secrets, headers, body)
  else verifyStandardWebhook(secrets, standard, headers, body)
}

function verifyPlainSignature(secrets: readonly string[], headers: IncomingHttpHeaders, body: Buffer): void {
  const plain = singleHeader(headers['x-signature-256']) ?? singleHeader(headers['x-hub-signature-256'])
  if (plain === undefined) {
    throw signatureError(
      'SIGNATURE_MISSING',
      'This source expects signed webhooks: send webhook-id, webhook-timestamp and webhook-signature, or X-Signature-256.',
    )
  }
  const fits = (secret: string) =>
    timingSafeEqualText(plain, `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  if (!secrets.some(fits)) throw signatureInvalid()
}

function verifyStandardWebhook(
  secrets: readonly string[],
  signature: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
): void {
  const id = singleHeader(headers['webhook-id'])
  const timestamp = singleHeader(headers['webhook-timestamp'])
  if (!id || !timestamp)
    throw signatureError(
      'SIGNATURE_MISSING',
      'webhook-signature came without webhook-id or webhook-timestamp.',
    )
  // The library signs text: what is none would be signed as if its bytes were others.
  if (!isUtf8(body)) throw signatureInvalid()
  const given = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
  const failures = secrets.map((secret) => signatureFailure(secret, given, body))
  if (failures.includes(null)) return
  if (failures.some((failure) => failure !== null && /timestamp|Signature Headers/.test(failure)))
    throw signatureError(
      'SIGNATURE_EXPIRED',
      "webhook-timestamp is more than 5 minutes from this server's clock.",
    )
  throw signatureInvalid()
}

/** Why a secret did not make this signature, in the library's words; null where it did. */
function signatureFailure(secret: string, headers: Record<string, string>, body: Buffer): string | null {
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

const singleHeader = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

function timingSafeEqualText(given: string, expected: string): boolean {
  const a = Buffer.from(given)
  const b = Buffer.from(expected)
  return a.length === b.length && timingSafeEqual(a, b)
}

const signatureError = (code: string, message: string): GalleyError =>
  new GalleyError({ code, message, httpStatus: 401, fault: 'owner', action: 'owner' })

const signatureInvalid = (): GalleyError =>
  signatureError(
    'SIGNATURE_INVALID',
    'The signature does not fit the body and the signing secret of this source.',
  )
