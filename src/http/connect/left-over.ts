import type { ErrorRequestHandler, Request } from 'express'
import type { Services } from '../services.ts'
import { addressesOf } from './browser.ts'

/** Whether a page has to say that WordPress made a password that could not be taken back. */
export const leftOverIn = ({ query }: Pick<Request, 'query'>): boolean => query.left_over !== undefined

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
    log.warn({ err: error }, 'the answer to a connect link could not be taken')
    response.redirect(303, `${addressesOf(config.publicUrl, request.params.token).failed}?left_over=1`)
  }
