import { GalleyError } from '../errors.ts'
import type { TransportCode } from './catalogue.ts'
import { type Attempt, transportFailure } from './failure.ts'

const DNS = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_FAIL', 'ENODATA', 'ESERVFAIL'])
const TIMEOUT = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])
/** OpenSSL's verification results as Node names them: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const CERTIFICATE =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED|EPROTO$)/

const CERTIFICATE_IN_WORDS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by nobody but itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate comes from an authority nobody knows',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the intermediate certificate is missing',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate comes from an authority nobody knows',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'something that does not speak TLS answers on this port',
}

/** Turns what undici or Node threw into one of our errors, keeping it as the cause. */
export function diagnose(error: unknown, attempt: Attempt): GalleyError {
  if (error instanceof GalleyError) return error
  const code = codeOf(error)
  return transportFailure(codeFor(code, attempt.sent), inWords(code, error), attempt, error)
}

function codeFor(code: string, sent: boolean): TransportCode {
  if (DNS.has(code)) return 'dns_failed'
  if (TIMEOUT.has(code)) return 'site_timeout'
  if (CERTIFICATE.test(code)) return 'tls_failed'
  return sent ? 'connection_lost' : 'site_unreachable'
}

/** Trying several addresses at once fails with an `AggregateError`, whose members say why. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if ('code' in error && typeof error.code === 'string') return error.code
  return error instanceof AggregateError ? codeOf(error.errors[0]) : error.name
}

function inWords(code: string, error: unknown): string {
  const known = CERTIFICATE_IN_WORDS[code]
  if (known) return `${known} (${code})`
  return code.startsWith('UND_ERR') && error instanceof Error ? error.message : code
}
