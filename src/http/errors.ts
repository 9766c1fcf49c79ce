import type { ErrorRequestHandler, RequestHandler } from 'express'
import { GalleyError } from '../errors.ts'
import { withoutToken } from '../redact.ts'
import { errorAnswer } from './error-answer.ts'

/** Every failure of every route becomes an answer here. */
export const answerErrors: ErrorRequestHandler = (error, request, response, next) => {
  // Half an answer is on its way: all that is left is to break it off, which Express does.
  if (response.headersSent) return next(error)
  const { status, code, message, details, retryAfterMs } = errorAnswer(error, String(request.id))
  // pino-http writes what lies in `err` beside the request.
  if (status >= 500) response.err = error
  if (status === 401) response.set('WWW-Authenticate', 'Bearer')
  if (retryAfterMs !== undefined) response.set('Retry-After', String(Math.ceil(retryAfterMs / 1000)))
  response.status(status).json({ success: false, error: { code, message, details } })
}

/** For an address that no route has. */
export const unknownRoute: RequestHandler = ({ method, path }) => {
  throw new GalleyError({
    code: 'UNKNOWN_ROUTE',
    httpStatus: 404,
    message: `Galley has no ${method} ${withoutToken(path)}. /openapi.json lists what it has.`,
  })
}

/** For an address that is there, asked in a way it does not have. */
export function otherMethods(allowed: string[]): RequestHandler {
  return ({ method }, response) => {
    response.set('Allow', allowed.join(', '))
    throw new GalleyError({
      code: 'METHOD_NOT_ALLOWED',
      httpStatus: 405,
      message: `${method} is not supported here; use ${allowed.join(' or ')}.`,
    })
  }
}
