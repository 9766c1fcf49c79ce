import { z } from 'zod'
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
  happened: (facts: TransportFacts) => string
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
    todo: 'If this keeps happening, ask its host why requests are cut off, and whether a firewall drops those of Galley.',
  },
  site_timeout: {
    fault: 'site',
    action: 'retry',
    happened: ({ host, seen }) => `${host} did not answer in time (${seen}).`,
    todo: 'If this keeps happening, ask its host why it is slow, and whether a firewall drops requests of Galley.',
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
  answered?: boolean
}

/** Creates the error of a failed exchange; a write that may have been sent is `ambiguous`. @param advice replaces `todo` */
export function transportFailure(
  code: TransportCode,
  seen: string,
  { url, method, sent, answered }: TransportAttempt,
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
    details: { happened, todo, host: url.host, method, seen, answered },
    cause,
  })
}

const answeredSchema = z.object({ answered: z.literal(true) })

/** Whether an exchange failed after the other side had begun to answer. */
export const answerBegan = ({ details }: GalleyError): boolean => answeredSchema.safeParse(details).success

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
    KNOWN_ERRORS[code]?.[1],
  )
}

function codeFor(code: string, sent: boolean): TransportCode {
  // `Outbound.close` ends what is under way.
  if (code === 'UND_ERR_DESTROYED') return 'request_aborted'
  if (DNS_CODES.has(code)) return 'dns_failed'
  if (TIMEOUT_CODES.has(code)) return 'site_timeout'
  if (CERTIFICATE_CODE.test(code)) return 'tls_failed'
  return sent ? 'connection_lost' : 'site_unreachable'
}

/** Connecting to several addresses of a name fails with an `AggregateError`, whose own code is that of the first. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const codes = error instanceof AggregateError ? error.errors.map(codeOf) : []
  // Prefer the address family that this machine has a route for.
  const told = codes.find((code) => !NO_ROUTE_CODES.has(code))
  return told ?? ('code' in error && typeof error.code === 'string' ? error.code : error.name)
}

/** A phrase for messages; a library's own text stays in the cause and the log. */
function describeCode(code: string, sent: boolean): string {
  const [known] = KNOWN_ERRORS[code] ?? []
  if (known) return `${known} (${code})`
  if (HTTP_PARSER_ERROR.test(code)) return 'what it sent is not HTTP, or breaks its rules'
  // Where nothing was sent, the connection failed, and its code says how.
  return (sent || /^(UND_ERR|HPE_)/.test(code) ? ERROR_PHRASES[code] : undefined) ?? code
}

/** Phrases that replace error codes of undici and Node which mean nothing to users. */
const ERROR_PHRASES: Record<string, string> = {
  UND_ERR_SOCKET: 'the connection was closed',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  HPE_INVALID_EOF_STATE: 'the connection was closed before it was complete',
  UND_ERR_HEADERS_OVERFLOW: 'its headers are longer than Galley reads',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'it is not as long as its headers say',
  UND_ERR_CONNECT_TIMEOUT: 'no connection was made',
  UND_ERR_HEADERS_TIMEOUT: 'no answer began',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped',
}

/** llhttp's codes for an unparseable answer; an early end is not one of them. */
const HTTP_PARSER_ERROR = /^(HPE_(?!INVALID_EOF_STATE)|HTTPParserError$)/

/** This machine has no route to the address, as without IPv6. */
const NO_ROUTE_CODES: ReadonlySet<string> = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL'])

const USE_PUBLIC_CERTIFICATE =
  'Ask its host for a certificate from a public authority; most hosts give one free of charge.'
const CHECK_ROUTE =
  'Check the network of the machine that Galley runs on, and for an IPv6 address whether it has IPv6 at all.'
const UNKNOWN_AUTHORITY: KnownError = [
  'its certificate comes from an unknown authority',
  USE_PUBLIC_CERTIFICATE,
]
const NOT_TLS: KnownError = [
  'something that does not speak TLS answers on this port, most likely plain http',
  'Give the address with http:// if plain http is meant, or with the port at which the site is reached by https.',
]

/** A phrase, to which the code is added, or null where the code is enough; and advice that is more specific than the failure's. */
type KnownError = [phrase: string | null, advice: string]

/** Error codes of OpenSSL and Node. */
const KNOWN_ERRORS: Record<string, KnownError> = {
  CERT_HAS_EXPIRED: ['its certificate has expired', 'Ask its host to renew the certificate.'],
  CERT_NOT_YET_VALID: [
    'its certificate is not valid yet',
    'Check the date it is valid from, and the clock of the machine that Galley runs on.',
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['its certificate is self-signed', USE_PUBLIC_CERTIFICATE],
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'the intermediate certificate is missing',
    'Ask its host to send the whole chain with its certificate.',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'its certificate is for another name',
    'Give the address by a name that the certificate has, or ask its host to add this one to it.',
  ],
  ERR_SSL_WRONG_VERSION_NUMBER: NOT_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NOT_TLS,
  ECONNREFUSED: [
    null,
    'Check the port in the address, that the server is up, and that its firewall lets this one in.',
  ],
  ENETUNREACH: [null, CHECK_ROUTE],
  EHOSTUNREACH: [null, CHECK_ROUTE],
  EADDRNOTAVAIL: [null, CHECK_ROUTE],
  EAI_AGAIN: [
    null,
    'The DNS servers of the machine that Galley runs on did not answer: check its network, and try again.',
  ],
}
