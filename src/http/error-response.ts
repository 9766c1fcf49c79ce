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
  return fromHttpError(error) ?? fromDatabaseError(error) ?? internalError(requestId)
}

/** A 4xx that Express and its parts make, by status: it is the request's failure, and stays one. */
const httpFailures: Record<number, Omit<ErrorResponse, 'status'>> = {
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
  if (error instanceof URIError)
    return { status: 400, code: 'MALFORMED_URL', message: 'The address has a % that begins no character.' }
  if (!(error instanceof Error && 'status' in error && typeof error.status === 'number')) return undefined
  const { status } = error
  if (status < 400 || status > 499) return undefined
  return { status, ...(httpFailures[status] ?? malformedRequest) }
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
