import { type ErrorRequestHandler, type RequestHandler, Router } from 'express'
import { GalleyError } from '../errors.ts'
import { redactTokenInUrl } from '../log/redact.ts'
import { toErrorResponse } from './error-response.ts'

/**
 * A router that knows each address in one spelling. What is close to an address is none: nothing that names routes by
 * how they are written (log, metrics, limits, a proxy in front) then sees another route than the one that answers.
 */
export const strictRouter = (): Router => Router({ caseSensitive: true, strict: true })

/** Every failure of every route becomes an answer here. */
export const errorHandler: ErrorRequestHandler = (error, request, response, next) => {
  // Half an answer is on its way: all that is left is to break it off, which Express does.
  if (response.headersSent) return next(error)
  const { status, code, message, details, retryAfterMs } = toErrorResponse(error, String(request.id))
  // pino-http writes what lies in `err` beside the request.
  if (status >= 500) response.err = error
  if (status === 401) response.set('WWW-Authenticate', 'Bearer')
  if (retryAfterMs !== undefined) response.set('Retry-After', String(Math.ceil(retryAfterMs / 1000)))
  response.status(status).json({ success: false, error: { code, message, details } })
}

/** For an address that no route has. */
export const notFoundHandler: RequestHandler = ({ method, path }) => {
  throw new GalleyError({
    code: 'UNKNOWN_ROUTE',
    httpStatus: 404,
    message: `Galley has no ${method} ${redactTokenInUrl(path)}. /openapi.json lists what it has.`,
  })
}

/** For an address that is there, asked in a way it does not have. */
export function methodNotAllowed(allowed: string[]): RequestHandler {
  return ({ method }, response) => {
    response.set('Allow', allowed.join(', '))
    throw new GalleyError({
      code: 'METHOD_NOT_ALLOWED',
      httpStatus: 405,
      message: `${method} is not supported here; use ${allowed.join(' or ')}.`,
    })
  }
}
