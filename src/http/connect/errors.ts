import type { ErrorRequestHandler } from 'express'
import { endedPages, withNote } from '../../connect/pages/ended.ts'
import { failedPage } from '../../connect/pages/failed.ts'
import { GalleyError } from '../../errors.ts'
import { sendPage } from '../../pages/page.ts'
import { errorAnswer } from '../error-answer.ts'
import { leftOverIn } from './left-over.ts'

/** Failures of these pages, in words for the person who sees them. */
export const connectErrors: ErrorRequestHandler = (error, request, response, next) => {
  if (response.headersSent) return next(error)
  // The limit on guessing counts the unknown ones, and answers once there are too many.
  const { status, code, message, retryAfterMs } = errorAnswer(error, String(request.id))
  if (status >= 500) response.err = error
  if (retryAfterMs !== undefined) response.set('Retry-After', String(Math.ceil(retryAfterMs / 1000)))
  const known = code in endedPages ? endedPages[code as keyof typeof endedPages] : undefined
  // A site that cannot be found just now has no HTTP status of its own.
  const siteFailed = error instanceof GalleyError && error.httpStatus === 500
  const leftOver = leftOverIn(request)
  if (known) return sendPage(response, leftOver ? withNote(known) : known)
  sendPage(
    response,
    siteFailed ? failedPage(503, error.message, leftOver) : failedPage(status, message, leftOver),
  )
}
