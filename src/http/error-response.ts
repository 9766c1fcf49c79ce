import { databaseFailure } from '../database/errors.ts'
import { apiCode, GalleyError } from '../errors.ts'

/** What a caller is told about a failure; sent as `{success: false, error: {code, message, details}}`. */
interface ErrorResponse {
  status: number
  code: string
  message: string
  details?: unknown
  /** Milliseconds, sent as `Retry-After`. */
  retryAfterMs?: number
}

/** Puts any failure into words for the caller. What nobody foresaw answers 500 and tells nothing of the inside. */
export function toErrorResponse(error: unknown, requestId: string): ErrorResponse {
  if (error instanceof GalleyError && error.httpStatus !== 500) {
    const { httpStatus: status, code, message, details, retryAfterMs } = error
    return { status, code: apiCode(code), message, details, retryAfterMs }
  }
  return (
    fromExpressError(error) ?? fromHttpError(error) ?? fromDatabaseError(error) ?? internalError(requestId)
  )
}

const bodyFailures: Record<string, ErrorResponse> = {
  'entity.parse.failed': {
    status: 400,
    code: 'MALFORMED_JSON',
    message: 'The body is not JSON. Check its quotes, commas and brackets; send it as UTF-8.',
  },
  'entity.too.large': {
    status: 413,
    code: 'BODY_TOO_LARGE',
    message: 'The body is larger than this call accepts.',
  },
  'encoding.unsupported': {
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message:
      'The body is compressed in a way Galley does not read. Send it plain, or as gzip, deflate or br.',
  },
  'charset.unsupported': {
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'The body is in a character set Galley does not read. Send it as UTF-8.',
  },
  'request.size.invalid': {
    status: 400,
    code: 'BODY_INCOMPLETE',
    message: 'The body is not as long as its Content-Length says. Send it again.',
  },
  'request.aborted': {
    status: 400,
    code: 'BODY_INCOMPLETE',
    message: 'The connection ended before the body did. Send it again.',
  },
}

/** Any other 4xx that Express and its parts make, by status: it is the request's failure, and stays one. */
const otherFailures: Record<number, Omit<ErrorResponse, 'status'>> = {
  406: {
    code: 'NOT_ACCEPTABLE',
    message: 'There is no answer of the type that the header Accept asks for. Accept application/json.',
  },
  413: { code: 'BODY_TOO_LARGE', message: 'The body holds more values than this call accepts.' },
  415: {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'The body is of a kind that Galley does not read. Send it as JSON, in UTF-8.',
  },
}

const malformedRequest: Omit<ErrorResponse, 'status'> = {
  code: 'MALFORMED_REQUEST',
  message: 'The request cannot be read. Check its address, its headers and how its body is encoded.',
}

function fromHttpError(error: unknown): ErrorResponse | undefined {
  if (!(error instanceof Error && 'status' in error && typeof error.status === 'number')) return undefined
  const { status } = error
  if (status < 400 || status > 499) return undefined
  // What zlib says of a body that is not compressed as its head says, or is cut off.
  if ('code' in error && /^(Z_|ERR__ERROR_|ERR_BROTLI_)/.test(String(error.code)))
    return { status, ...undecodableBody }
  return { status, ...(otherFailures[status] ?? malformedRequest) }
}

const undecodableBody: Omit<ErrorResponse, 'status'> = {
  code: 'BODY_UNDECODABLE',
  message: 'The body is not compressed as its Content-Encoding says, or not whole. Send it again, or plain.',
}

function fromExpressError(error: unknown): ErrorResponse | undefined {
  if (error instanceof URIError)
    return { status: 400, code: 'MALFORMED_URL', message: 'The address has a % that begins no character.' }
  if (!(error instanceof Error && 'type' in error && typeof error.type === 'string')) return undefined
  const answer = bodyFailures[error.type]
  if (answer?.status !== 413 || !('limit' in error)) return answer
  return { ...answer, message: [answer.message, `The most is ${error.limit} bytes.`].join(' ') }
}

function fromDatabaseError(error: unknown): ErrorResponse | undefined {
  switch (databaseFailure(error)) {
    case 'away':
    case 'conflict':
      return databaseUnavailable('does not answer just now; nothing was changed. Try again in a moment.')
    case 'silent':
      return databaseUnavailable(
        'did not answer in time. The change may have been made anyway: check, and try again in a moment.',
      )
    case 'refused':
    case undefined:
      return undefined
  }
}

const databaseUnavailable = (what: string): ErrorResponse => ({
  status: 503,
  code: 'DATABASE_UNAVAILABLE',
  message: `The database of Galley ${what}`,
  retryAfterMs: 5000,
})

const internalError = (requestId: string): ErrorResponse => ({
  status: 500,
  code: 'INTERNAL',
  message: `Galley failed at this request. Its log has the reason under request ${requestId}.`,
})
