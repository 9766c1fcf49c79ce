const AUTHORITY = 'its certificate comes from an unknown authority'
const NOT_TLS = 'something that does not speak TLS answers on this port, most likely plain http'

const CLOSED = 'the connection was closed'

/** What the names of undici's and Node's errors mean that say nothing to people, as part of a sentence; instead of the name. */
export const INSTEAD: Record<string, string> = {
  UND_ERR_SOCKET: CLOSED,
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_HEADERS_OVERFLOW: 'its headers are longer than Galley reads',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'it is not as long as its headers say',
  UND_ERR_CONNECT_TIMEOUT: 'no connection was made',
  UND_ERR_HEADERS_TIMEOUT: 'no answer began',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped',
}

/** What llhttp calls an answer that it cannot read; an end in the midst of one is no such thing. */
export const NOT_HTTP = /^(HPE_|HTTPParserError$)(?!INVALID_EOF_STATE)/

/** What the error codes of OpenSSL and Node mean, as part of a sentence. */
export const IN_WORDS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the intermediate certificate is missing',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ERR_SSL_WRONG_VERSION_NUMBER: NOT_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NOT_TLS,
}

/** Where this machine has no way to an address at all, as without IPv6. */
export const NO_WAY: ReadonlySet<string> = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL'])

const SIGNED = 'Ask its host for a certificate from a public authority; most hosts give one free of charge.'
const PLAIN =
  'Give the address with http:// if plain http is meant, or with the port at which the site is reached by https.'
const WAY =
  'Check the network of the machine that Galley runs on, and for an IPv6 address whether it has IPv6 at all.'

/** What to do, where the error code says more than the kind of failure does. */
export const ADVICE: Record<string, string> = {
  CERT_HAS_EXPIRED: 'Ask its host to renew the certificate.',
  CERT_NOT_YET_VALID: 'Check the date it is valid from, and the clock of the machine that Galley runs on.',
  DEPTH_ZERO_SELF_SIGNED_CERT: SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: SIGNED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: SIGNED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Ask its host to send the whole chain with its certificate.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'Give the address by a name that the certificate has, or ask its host to add this one to it.',
  ERR_SSL_WRONG_VERSION_NUMBER: PLAIN,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: PLAIN,
  ECONNREFUSED:
    'Check the port in the address, that the server is up, and that its firewall lets this one in.',
  ENETUNREACH: WAY,
  EHOSTUNREACH: WAY,
  EADDRNOTAVAIL: WAY,
  EAI_AGAIN:
    'The DNS servers of the machine that Galley runs on did not answer: check its network, and try again.',
}
