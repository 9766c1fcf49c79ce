import type { ErrorRequestHandler, Request } from 'express'
import { endedPages, withNote } from '../../connect/pages/ended.ts'
import { failedPage } from '../../connect/pages/failed.ts'
import { GalleyError } from '../../errors.ts'
import { sendPage } from '../../pages/page.ts'
import { errorAnswer } from '../error-answer.ts'
import type { Services } from '../services.ts'
import { addressesOf } from './browser.ts'

/** Whether a page has to say that WordPress made a password that could not be taken back. */
export const isPasswordOrphaned = ({ query }: Pick<Request, 'query'>): boolean =>
  query.left_over !== undefined

/**
 * For the address that WordPress sends the owner back to, with the new password in it: whatever failed before the
 * answer could be looked at (too many tries, the database), the browser leaves that address. The password was never
 * read, so the person is told what to do about it.
 */
export const leaveAddress =
  ({ config, log }: Pick<Services, 'config' | 'log'>): ErrorRequestHandler<{ token: string }> =>
  (error, request, response, next) => {
    // Without a query there is no password in it, and nothing to leave.
    if (response.headersSent || !request.originalUrl.includes('?')) return next(error)
    log.warn({ err: error }, 'the answer to a connect link could not be processed')
    response.redirect(303, `${addressesOf(config.publicUrl, request.params.token).failed}?left_over=1`)
  }

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
  const orphanedPassword = isPasswordOrphaned(request)
  if (known) return sendPage(response, orphanedPassword ? withNote(known) : known)
  sendPage(
    response,
    siteFailed
      ? failedPage(503, error.message, orphanedPassword)
      : failedPage(status, message, orphanedPassword),
  )
}
