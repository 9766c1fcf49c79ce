import { parseCookie } from 'cookie'
import type { CookieOptions, ErrorRequestHandler, Request, RequestHandler, Response } from 'express'
import { ipKeyGenerator, rateLimit } from 'express-rate-limit'
import {
  allowsSiteScope,
  authenticateKey,
  type Caller,
  hasRight,
  type Right,
  rights,
} from '../accounts/authenticate.ts'
import { authenticateSession, SESSION_MAX_DAYS } from '../accounts/sessions.ts'
import type { Config } from '../config/config.ts'
import { GalleyError, refusal } from '../errors.ts'
import type { Services } from './services.ts'

/** Lets nobody past without a valid key, or a session that was begun with one; what follows asks `callerOf`. */
export function authentication({
  database,
  config: { publicUrl },
}: Pick<Services, 'database' | 'config'>): RequestHandler {
  return async (request, response, next) => {
    const key = apiKeyOf(request)
    const token = key === undefined ? sessionTokenOf(request, publicUrl) : undefined
    if (key === undefined && hasSession(request) && !isSameOrigin(request, publicUrl))
      throw refusal(
        'OTHER_ORIGIN',
        'This request comes from another page than Galley’s own, for which nobody is signed in. Programs send an API key.',
        403,
      )
    response.locals.caller =
      token === undefined ? await authenticateKey(database, key) : await authenticateSession(database, token)
    next()
  }
}

/** Before anything of the request is read. @throws GalleyError 403 `FORBIDDEN` without the right */
export const authorization =
  (right: Right): RequestHandler =>
  (_request, response, next) => {
    requireRight(callerOf(response), right)
    next()
  }

/** For what a request asks for beside its endpoint's own right. @throws GalleyError 403 `FORBIDDEN` */
export function requireRight({ role, siteIds }: Caller, right: Right): void {
  if (siteIds !== null && !allowsSiteScope(right))
    throw refusal(
      'FORBIDDEN',
      'This API key is limited to some sites, and this call is about the whole account. Use a key that is not limited.',
      403,
      { right },
    )
  if (hasRight(role, right)) return
  throw refusal(
    'FORBIDDEN',
    `This API key is of the role "${role}", which is not allowed to do this. Use a key of the role ${rights[right].join(', ')}, or ask whoever made this one.`,
    403,
    { right, roles: rights[right] },
  )
}

export const callerOf = (response: Response): Caller => response.locals.caller

/** The key of a request: `Authorization: Bearer` is recommended and wins, `X-API-Key` is the other way. */
function apiKeyOf(request: Request): string | undefined {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(request.get('authorization') ?? '')?.[1]
  return bearer ?? (request.get('x-api-key')?.trim() || undefined)
}

/** Over https under a name that no other host can set; over http, on one's own machine, under a plain one. */
const SECURE_COOKIE = '__Host-galley'
const PLAIN_COOKIE = 'galley'

const cookieOptions = (secure: boolean): CookieOptions => ({
  path: '/',
  httpOnly: true,
  sameSite: 'strict',
  secure,
})

/** A session's cookie, if any; over https not by the plain name, which another host or anybody over http could set. */
function sessionTokenOf(request: Request, publicUrl: string): string | undefined {
  const cookies = cookiesOf(request)
  return cookies[SECURE_COOKIE] ?? (isHttps(request, publicUrl) ? undefined : cookies[PLAIN_COOKIE])
}

const hasSession = (request: Request): boolean =>
  [SECURE_COOKIE, PLAIN_COOKIE].some((name) => cookiesOf(request)[name] !== undefined)

const cookiesOf = (request: Request) => parseCookie(request.get('cookie') ?? '')

/** A proxy in front ends https; the browser knows how the page came, and says it where something is changed. */
const isHttps = (request: Request, publicUrl: string): boolean =>
  request.secure ||
  (request.get('origin') ?? '').startsWith('https://') ||
  (publicUrl.startsWith('https://') && request.get('host') === hostOf(publicUrl))

/** Sets the cookie of a session, or takes it back. @param token null where the session has ended */
export function sendSession(request: Request, response: Response, publicUrl: string, token: string | null) {
  if (token === null) {
    response.clearCookie(SECURE_COOKIE, cookieOptions(true)).clearCookie(PLAIN_COOKIE, cookieOptions(false))
    return
  }
  const secure = isHttps(request, publicUrl)
  response.cookie(secure ? SECURE_COOKIE : PLAIN_COOKIE, token, {
    ...cookieOptions(secure),
    maxAge: SESSION_MAX_DAYS * 24 * 60 * 60 * 1000,
  })
}

/** Whether a request comes from a page of this origin: SameSite tells sites apart, not origins. */
function isSameOrigin(request: Request, publicUrl: string): boolean {
  const site = request.get('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  // Over http from another machine browsers do not say it. They name the origin of all that is not plainly read.
  const origin = request.get('origin')
  if (origin === undefined) return request.method === 'GET' || request.method === 'HEAD'
  return [request.get('host'), hostOf(publicUrl)].includes(hostOf(origin))
}

const hostOf = (address: string): string | undefined =>
  URL.canParse(address) ? new URL(address).host : undefined

const MINUTE_MS = 60_000

/** Wrong keys and unknown webhook addresses one client may try in a minute before it is told to stop. */
const GUESSES_PER_MINUTE = 60

const tooManyRequests =
  (message: string): RequestHandler =>
  () => {
    throw new GalleyError({ code: 'TOO_MANY_REQUESTS', httpStatus: 429, action: 'retry', message })
  }

const clientAddress = ({ ip, socket }: Request): string =>
  ipKeyGenerator(ip ?? socket.remoteAddress ?? 'unknown')

/** So many requests in a minute. @param keyOf whose they are; the client's by its address unless given */
export const limitPerMinute = (limit: number, message: string, keyOf = clientAddress) =>
  rateLimit({
    windowMs: MINUTE_MS,
    limit,
    keyGenerator: keyOf,
    standardHeaders: false,
    legacyHeaders: false,
    handler: tooManyRequests(message),
  })

/** Keeps one account from taking all of this process; generous, and by account so that more keys do not help. */
export function accountRateLimit({ requestsPerMinute }: Pick<Config, 'requestsPerMinute'>): RequestHandler {
  return rateLimit({
    windowMs: MINUTE_MS,
    limit: requestsPerMinute,
    skip: () => requestsPerMinute === 0,
    keyGenerator: (_request, response) => callerOf(response).accountId,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    handler: tooManyRequests(
      `This account has made more than ${requestsPerMinute} requests in a minute. Wait as long as Retry-After says.`,
    ),
  })
}

const GUESS_CODES = new Set(['UNAUTHENTICATED', 'INVALID_API_KEY', 'SESSION_ENDED', 'SOURCE_UNKNOWN'])

/** Only failures are counted and refused: behind one router, valid keys must not pay for a neighbour. */
export function guessRateLimit(): ErrorRequestHandler {
  const limit = limitPerMinute(
    GUESSES_PER_MINUTE,
    'Too many requests without a valid key or address came from here. Wait a minute.',
  )
  return (error, request, response, next) => {
    if (!(error instanceof GalleyError && GUESS_CODES.has(error.code))) return next(error)
    // The limiter passes on with nothing where the guess is still allowed: its own failure is the answer then.
    return limit(request, response, (exceeded?: unknown) => next(exceeded ?? error))
  }
}
