import { parseCookie } from 'cookie'
import type { ErrorRequestHandler, Request, Response } from 'express'
import { ipKeyGenerator, rateLimit } from 'express-rate-limit'
import { createNonce, csrfState, isNonce } from '../../connect/links.ts'
import { endedPages, failedPage, withOrphanedPasswordNote } from '../../connect/pages.ts'
import { GalleyError } from '../../errors.ts'
import { sendPage } from '../../pages/page.ts'
import { hashToken } from '../../secrets/index.ts'
import { toErrorResponse } from '../error-response.ts'
import { MemoryRateLimitStore, tooManyRequests } from '../rate-limits.ts'
import type { Services } from '../services.ts'

const COOKIE = 'galley_connect'

/** Where a link's pages are, in full. */
interface ConnectAddresses {
  ask: string
  approved: string
  rejected: string
  connected: string
  refused: string
  failed: string
}

export function connectAddresses(publicUrl: string, token: string): ConnectAddresses {
  const ask = `${publicUrl}/connect/${encodeURIComponent(token)}`
  return {
    ask,
    approved: `${ask}/approved`,
    rejected: `${ask}/rejected`,
    connected: `${ask}/connected`,
    refused: `${ask}/refused`,
    failed: `${ask}/failed`,
  }
}

/** The nonce this browser has for this link, undefined where it has none. */
export function nonceFromCookie(request: Request): string | undefined {
  const nonce = parseCookie(request.get('cookie') ?? '')[COOKIE]
  return nonce !== undefined && isNonce(nonce) ? nonce : undefined
}

/**
 * The state that this browser's answer has to carry. The cookie is sent to the pages of this link alone; `lax` lets it
 * come along when WordPress sends the browser back.
 */
export function setConnectState(
  request: Request,
  response: Response,
  { token, expiresAt, publicUrl }: { token: string; expiresAt: Date; publicUrl: string },
): string {
  const nonce = nonceFromCookie(request) ?? createNonce()
  const { protocol, pathname } = new URL(connectAddresses(publicUrl, token).ask)
  response.cookie(COOKIE, nonce, {
    path: pathname,
    expires: expiresAt,
    httpOnly: true,
    sameSite: 'lax',
    secure: protocol === 'https:',
  })
  return csrfState(token, nonce)
}

/** Whether a page has to say that WordPress made a password that could not be taken back. */
export const isPasswordOrphaned = ({ query }: Pick<Request, 'query'>): boolean =>
  query.left_over !== undefined

/**
 * For the address that WordPress sends the owner back to, with the new password in it: whatever failed before the
 * answer could be looked at (too many tries, the database), the browser leaves that address. The password was never
 * read, so the person is told what to do about it.
 */
export const redirectToPlainAddress =
  ({ config, log }: Pick<Services, 'config' | 'log'>): ErrorRequestHandler<{ token: string }> =>
  (error, request, response, next) => {
    // Without a query there is no password in it, and nothing to leave.
    if (response.headersSent || !request.originalUrl.includes('?')) return next(error)
    log.warn({ err: error }, 'the answer to a connect link could not be processed')
    response.redirect(303, `${connectAddresses(config.publicUrl, request.params.token).failed}?left_over=1`)
  }

/** Failures of these pages, in words for the person who sees them. */
export const connectErrorHandler: ErrorRequestHandler = (error, request, response, next) => {
  if (response.headersSent) return next(error)
  // The limit on guessing counts the unknown ones, and answers once there are too many.
  const { status, code, message, retryAfterMs } = toErrorResponse(error, String(request.id))
  if (status >= 500) response.err = error
  if (retryAfterMs !== undefined) response.set('Retry-After', String(Math.ceil(retryAfterMs / 1000)))
  const known = code in endedPages ? endedPages[code as keyof typeof endedPages] : undefined
  // A site that cannot be found just now has no HTTP status of its own.
  const siteFailed = error instanceof GalleyError && error.httpStatus === 500
  const orphanedPassword = isPasswordOrphaned(request)
  if (known) return sendPage(response, orphanedPassword ? withOrphanedPasswordNote(known) : known)
  sendPage(
    response,
    siteFailed
      ? failedPage(503, error.message, orphanedPassword)
      : failedPage(status, message, orphanedPassword),
  )
}

const MINUTE_MS = 60_000
/** Pages one client may open in a minute; each asks the site. */
const PAGES_PER_MINUTE = 60
/** Credentials one link may try in a minute: enough for a person's mistakes, too few to guess a password. */
const TRIES_PER_MINUTE = 10

const WINDOW_OPTIONS = { windowMs: MINUTE_MS, standardHeaders: false, legacyHeaders: false } as const

export const connectPageRateLimit = () =>
  rateLimit({
    ...WINDOW_OPTIONS,
    store: new MemoryRateLimitStore(MINUTE_MS),
    limit: PAGES_PER_MINUTE,
    keyGenerator: ({ ip, socket }) => ipKeyGenerator(ip ?? socket.remoteAddress ?? 'unknown'),
    handler: tooManyRequests(
      'Too many pages were opened from here. Wait a minute, then open the link again.',
    ),
  })

export const connectTryRateLimit = () =>
  rateLimit({
    ...WINDOW_OPTIONS,
    store: new MemoryRateLimitStore(MINUTE_MS),
    limit: TRIES_PER_MINUTE,
    keyGenerator: ({ params }) => hashToken(String(params.token)),
    handler: tooManyRequests('Too many attempts with this link. Wait a minute, then open it again.'),
  })
