import { GalleyError } from '../errors.ts'
import { ADVICE, IN_WORDS, INSTEAD, NO_WAY, NOT_HTTP } from './advice.ts'
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

/** Turns what undici or Node threw into one of our errors, keeping it as the cause. */
export function diagnose(error: unknown, attempt: Attempt): GalleyError {
  if (error instanceof GalleyError) return error
  const code = codeOf(error)
  return transportFailure(
    codeFor(code, attempt.sent),
    inWords(code, attempt.sent),
    attempt,
    error,
    ADVICE[code],
  )
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
  if (!(error instanceof AggregateError)) return error.name
  const codes = error.errors.map(codeOf)
  // Of a name with addresses of both kinds, the one that there is a way to.
  return codes.find((code) => !NO_WAY.has(code)) ?? codes[0] ?? error.name
}

/** Never what a library says of it: that is for the cause, and the log. */
function inWords(code: string, sent: boolean): string {
  const known = IN_WORDS[code]
  if (known) return `${known} (${code})`
  if (NOT_HTTP.test(code)) return 'what it sent is not HTTP, or breaks its rules'
  if (code === 'HPE_INVALID_EOF_STATE') return CLOSED_EARLY
  // Where nothing was sent, it is the connection that failed, and its code says how.
  return (sent || code.startsWith('UND_ERR') ? INSTEAD[code] : undefined) ?? code
}

const CLOSED_EARLY = 'the connection was closed before it was complete'
