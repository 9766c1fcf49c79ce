import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express'
import { refusal } from '../errors.ts'
import { redactTokenInUrl } from '../log/redact.ts'
import { toErrorResponse } from './error-response.ts'
import { labelRoute } from './request-telemetry.ts'
import { endAfterBody } from './server.ts'

/** A router that knows each address in one spelling, so that whatever names routes by spelling sees the same one. */
export const strictRouter = (): Router => Router({ caseSensitive: true, strict: true })

/** Every failure of every route becomes an answer here. */
export const errorHandler: ErrorRequestHandler = (error, request, response, next) => {
  // Half an answer is on its way: all that is left is to break it off, which Express does.
  if (response.headersSent) return next(error)
  const { status, code, message, details } = beginErrorResponse(error, request, response)
  if (status === 401) response.set('WWW-Authenticate', 'Bearer')
  endAfterBody(request, response, JSON.stringify({ success: false, error: { code, message, details } }))
}

/** A failure in words, its status and the time to wait; what is Galley's own goes to the log. */
export function beginErrorResponse(error: Error, request: Request, response: Response) {
  const failure = toErrorResponse(error, String(request.id))
  const { status, retryAfterMs } = failure
  // pino-http writes what lies in `err` beside the request.
  if (status >= 500) response.err = error
  if (retryAfterMs !== undefined) response.set('Retry-After', String(Math.ceil(retryAfterMs / 1000)))
  response.status(status)
  return failure
}

export const notFoundHandler: RequestHandler = ({ method, path }) => {
  throw refusal(
    'UNKNOWN_ROUTE',
    `Galley has no ${method} ${redactTokenInUrl(path)}. /openapi.json lists what it has.`,
    404,
  )
}

export function methodNotAllowed(allowed: string[]): RequestHandler {
  return ({ method }, response) => {
    response.set('Allow', allowed.join(', '))
    throw refusal('METHOD_NOT_ALLOWED', `${method} is not supported here; use ${allowed.join(' or ')}.`, 405)
  }
}

/** What is read at `/<folder>/<name>`. */
export function folderRouter(folder: string, read: RequestHandler<{ name: string }>): Router {
  const router = strictRouter()
  router
    .route(`/${folder}/:name`)
    .all(labelRoute(`/${folder}/{name}`))
    .get<{ name: string }>(read)
    .all(methodNotAllowed(['GET', 'HEAD']))
  return router
}

/** Loads for the first who asks, and again after a failure. */
export function loadOnce<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
}
