import { type Action, type AtFault, GalleyError } from '../errors.ts'

interface TransportFacts {
  /** Host, with a port that is not the scheme's default. */
  host: string
  /** The observed detail: an error code, an address, a limit. */
  seen: string
}

interface TransportFailure {
  fault: AtFault
  /** Applies where nothing was sent. A write that may have been sent becomes `ambiguous`. */
  action: Action
  /** A whole sentence. */
  happened: (facts: TransportFacts) => string
  /** The next step of the person who can fix it. */
  todo: string
  /** Of Galley's own answer; default 502. */
  httpStatus?: number
}

/** All failures of an exchange that yields no usable answer. */
export const transportFailures = {
  address_invalid: {
    fault: 'owner',
    action: 'owner',
    happened: ({ seen }) => `${seen}.`,
    todo: 'Give a web address in full, as in https://example.com/.',
  },
  address_not_allowed: {
    fault: 'owner',
    action: 'owner',
    happened: ({ host, seen }) => `Galley does not connect to ${host}: ${seen}.`,
    todo: 'If this server is yours and meant to be reached, its operator can name it in GALLEY_ALLOW_PRIVATE.',
  },
  dns_failed: {
    fault: 'site',
    action: 'retry',
    happened: ({ host, seen }) => `The name ${host} cannot be resolved (${seen}).`,
    todo: 'Check the spelling, whether the domain has expired, and its DNS records.',
  },
  tls_failed: {
    fault: 'site',
    action: 'retry',
    happened: ({ host, seen }) => `No secure connection to ${host}: ${seen}.`,
    todo: 'Ask its host to renew or repair the TLS certificate.',
  },
  site_unreachable: {
    fault: 'site',
    action: 'retry',
    happened: ({ host, seen }) => `${host} does not accept connections (${seen}).`,
    todo: 'Check that the server is up and that its firewall lets this one in.',
  },
  connection_lost: {
    fault: 'site',
    action: 'retry',
    happened: ({ host, seen }) => `No complete answer came from ${host}: ${seen}.`,
    todo: 'If this keeps happening, ask its host why requests are cut off.',
  },
  site_timeout: {
    fault: 'site',
    action: 'retry',
    happened: ({ host, seen }) => `${host} did not answer in time (${seen}).`,
    todo: 'If this keeps happening, ask its host why it is slow.',
  },
  answer_too_big: {
    fault: 'site',
    action: 'permanent',
    happened: ({ host, seen }) => `${host} sent an answer larger than ${seen}, so Galley stopped reading it.`,
    todo: 'Check that the address is right: no page and no REST API answers with this much.',
  },
  answer_undecodable: {
    fault: 'site',
    action: 'retry',
    happened: ({ host, seen }) => `The answer of ${host} is not compressed the way it says (${seen}).`,
    todo: 'Ask its host to fix the compression setting.',
  },
  memory_busy: {
    fault: 'galley',
    action: 'retry',
    happened: ({ host }) =>
      `The answer of ${host} was not read: Galley is handling as much data as its memory limit allows, and no room became free in time.`,
    todo: 'Galley tries again; if this keeps happening, its operator can raise GALLEY_BYTES_IN_FLIGHT.',
    httpStatus: 503,
  },
  too_many_redirects: {
    fault: 'site',
    action: 'retry',
    happened: ({ host, seen }) => `${host} redirects in circles (${seen}).`,
    todo: 'Fix the site address or the redirect rules of the server.',
  },
  request_aborted: {
    fault: 'galley',
    action: 'retry',
    happened: ({ host }) => `Galley cancelled the request to ${host} because it is stopping.`,
    todo: 'Galley repeats it after the restart.',
  },
} satisfies Record<string, TransportFailure>

export type TransportCode = keyof typeof transportFailures

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

export const isSafeMethod = (method: string): boolean => SAFE_METHODS.has(method)

export interface TransportAttempt {
  url: URL
  method: string
  /** Whether bytes of the request may have reached the other side. */
  sent: boolean
}

/**
 * Creates the error of a failed exchange. A write that may have been sent may have been carried out, so its action is
 * `ambiguous`, whatever the catalogue says.
 *
 * @param advice replaces the catalogue's `todo`
 */
export function transportFailure(
  code: TransportCode,
  seen: string,
  { url, method, sent }: TransportAttempt,
  cause?: unknown,
  advice?: string,
): GalleyError {
  const {
    fault,
    action,
    happened: tell,
    todo: usual,
    httpStatus = 502,
  }: TransportFailure = transportFailures[code]
  const todo = advice ?? usual
  const decided: Action = sent && !isSafeMethod(method) ? 'ambiguous' : action
  const happened = tell({ host: url.host, seen })
  return new GalleyError({
    code,
    message: `${happened} ${todo}`,
    fault,
    action: decided,
    httpStatus,
    details: { happened, todo, host: url.host, method, seen },
    cause,
  })
}

const DNS_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_FAIL', 'ENODATA', 'ESERVFAIL'])
const TIMEOUT_CODES = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])
/** OpenSSL's verification results as Node names them: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const CERTIFICATE_CODE =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED|EPROTO$)/

/** Maps an error of undici or Node to a `GalleyError`, with the original as its cause. */
export function classifyTransportError(error: unknown, attempt: TransportAttempt): GalleyError {
  if (error instanceof GalleyError) return error
  const code = codeOf(error)
  return transportFailure(
    codeFor(code, attempt.sent),
    describeCode(code, attempt.sent),
    attempt,
    error,
    ERROR_ADVICE[code],
  )
}

function codeFor(code: string, sent: boolean): TransportCode {
  if (DNS_CODES.has(code)) return 'dns_failed'
  if (TIMEOUT_CODES.has(code)) return 'site_timeout'
  if (CERTIFICATE_CODE.test(code)) return 'tls_failed'
  return sent ? 'connection_lost' : 'site_unreachable'
}

/** Connecting to several addresses of a name fails with an `AggregateError`. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if ('code' in error && typeof error.code === 'string') return error.code
  if (!(error instanceof AggregateError)) return error.name
  const codes = error.errors.map(codeOf)
  // Prefer the address family that this machine has a route for.
  return codes.find((code) => !NO_ROUTE_CODES.has(code)) ?? codes[0] ?? error.name
}

/** A phrase for messages; a library's own text stays in the cause and the log. */
function describeCode(code: string, sent: boolean): string {
  const known = ERROR_EXPLANATIONS[code]
  if (known) return `${known} (${code})`
  if (HTTP_PARSER_ERROR.test(code)) return 'what it sent is not HTTP, or breaks its rules'
  if (code === 'HPE_INVALID_EOF_STATE') return CLOSED_EARLY
  // Where nothing was sent, the connection failed, and its code says how.
  return (sent || code.startsWith('UND_ERR') ? ERROR_PHRASES[code] : undefined) ?? code
}

const CLOSED_EARLY = 'the connection was closed before it was complete'

const UNKNOWN_AUTHORITY = 'its certificate comes from an unknown authority'
const NOT_TLS = 'something that does not speak TLS answers on this port, most likely plain http'

const CONNECTION_CLOSED = 'the connection was closed'

/** Phrases that replace error codes of undici and Node which mean nothing to users. */
const ERROR_PHRASES: Record<string, string> = {
  UND_ERR_SOCKET: CONNECTION_CLOSED,
  ECONNRESET: CONNECTION_CLOSED,
  EPIPE: CONNECTION_CLOSED,
  UND_ERR_HEADERS_OVERFLOW: 'its headers are longer than Galley reads',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'it is not as long as its headers say',
  UND_ERR_CONNECT_TIMEOUT: 'no connection was made',
  UND_ERR_HEADERS_TIMEOUT: 'no answer began',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped',
}

/** llhttp's codes for an unparseable answer; an early end is not one of them. */
const HTTP_PARSER_ERROR = /^(HPE_|HTTPParserError$)(?!INVALID_EOF_STATE)/

/** Phrases for error codes of OpenSSL and Node; the code is added. */
const ERROR_EXPLANATIONS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the intermediate certificate is missing',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ERR_SSL_WRONG_VERSION_NUMBER: NOT_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NOT_TLS,
}

/** This machine has no route to the address, as without IPv6. */
const NO_ROUTE_CODES: ReadonlySet<string> = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL'])

const USE_PUBLIC_CERTIFICATE =
  'Ask its host for a certificate from a public authority; most hosts give one free of charge.'
const USE_PLAIN_HTTP =
  'Give the address with http:// if plain http is meant, or with the port at which the site is reached by https.'
const CHECK_ROUTE =
  'Check the network of the machine that Galley runs on, and for an IPv6 address whether it has IPv6 at all.'

/** Advice for error codes that are more specific than their failure. */
const ERROR_ADVICE: Record<string, string> = {
  CERT_HAS_EXPIRED: 'Ask its host to renew the certificate.',
  CERT_NOT_YET_VALID: 'Check the date it is valid from, and the clock of the machine that Galley runs on.',
  DEPTH_ZERO_SELF_SIGNED_CERT: USE_PUBLIC_CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: USE_PUBLIC_CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: USE_PUBLIC_CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Ask its host to send the whole chain with its certificate.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'Give the address by a name that the certificate has, or ask its host to add this one to it.',
  ERR_SSL_WRONG_VERSION_NUMBER: USE_PLAIN_HTTP,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: USE_PLAIN_HTTP,
  ECONNREFUSED:
    'Check the port in the address, that the server is up, and that its firewall lets this one in.',
  ENETUNREACH: CHECK_ROUTE,
  EHOSTUNREACH: CHECK_ROUTE,
  EADDRNOTAVAIL: CHECK_ROUTE,
  EAI_AGAIN:
    'The DNS servers of the machine that Galley runs on did not answer: check its network, and try again.',
}
