import { parseCookie } from 'cookie'
import type { CookieOptions, Request, RequestHandler, Response } from 'express'
import { authenticateKey, type Caller } from '../accounts/authenticate.ts'
import { allowsSiteScope, hasRight, type Right, rights } from '../accounts/rights.ts'
import { authenticateSession, SESSION_MAX_DAYS } from '../accounts/sessions.ts'
import { GalleyError } from '../errors.ts'
import type { Services } from './services.ts'

/** Lets nobody past without a valid key, or a session that was begun with one; what follows asks `callerOf`. */
export function authentication({
  database,
  config: { publicUrl },
}: Pick<Services, 'database' | 'config'>): RequestHandler {
  return async (request, response, next) => {
    const key = apiKeyOf(request)
    const token = key === undefined ? sessionTokenOf(request, publicUrl) : undefined
    if (key === undefined && hasSession(request) && !isSameOrigin(request, publicUrl)) throw foreignOrigin()
    response.locals.caller =
      token === undefined ? await authenticateKey(database, key) : await authenticateSession(database, token)
    next()
  }
}

const foreignOrigin = () =>
  new GalleyError({
    code: 'OTHER_ORIGIN',
    httpStatus: 403,
    fault: 'owner',
    action: 'owner',
    message:
      'This request comes from another page than Galley’s own, for which nobody is signed in. Programs send an API key.',
  })

/**
 * Lets nobody past whose key has not this right: 403, before anything of the request is read.
 *
 * @throws GalleyError 403 `FORBIDDEN`
 */
export const authorization =
  (right: Right): RequestHandler =>
  (_request, response, next) => {
    requireRight(callerOf(response), right)
    next()
  }

/** For what a request asks for beside its endpoint's own right. @throws GalleyError 403 `FORBIDDEN` */
export function requireRight({ role, siteIds }: Caller, right: Right): void {
  if (siteIds !== null && !allowsSiteScope(right)) throw siteLimitedKeyError(right)
  if (hasRight(role, right)) return
  throw new GalleyError({
    code: 'FORBIDDEN',
    httpStatus: 403,
    fault: 'owner',
    action: 'owner',
    message: `This API key is of the role "${role}", which is not allowed to do this. Use a key of the role ${rights[right].join(', ')}, or ask whoever made this one.`,
    details: { right, roles: rights[right] },
  })
}

const siteLimitedKeyError = (right: Right) =>
  new GalleyError({
    code: 'FORBIDDEN',
    httpStatus: 403,
    fault: 'owner',
    action: 'owner',
    message:
      'This API key is limited to some sites, and this call is about the whole account. Use a key that is not limited.',
    details: { right },
  })

/** Who was let in by `authentication`. */
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

/**
 * What the cookie of a session says; undefined where there is none. Over https the plain name is nobody's: a host beside this
 * one, or whoever is on the way to it over http, could set it, and a person would work in a stranger's account.
 */
function sessionTokenOf(request: Request, publicUrl: string): string | undefined {
  const cookies = cookiesOf(request)
  return cookies[SECURE_COOKIE] ?? (isHttps(request, publicUrl) ? undefined : cookies[PLAIN_COOKIE])
}

/** Whether a request has the cookie of a session, under whichever name. */
const hasSession = (request: Request): boolean =>
  [SECURE_COOKIE, PLAIN_COOKIE].some((name) => cookiesOf(request)[name] !== undefined)

const cookiesOf = (request: Request) => parseCookie(request.get('cookie') ?? '')

/** A proxy in front ends https; the browser knows how the page came, and says it where something is changed. */
const isHttps = (request: Request, publicUrl: string): boolean =>
  request.secure ||
  (request.get('origin') ?? '').startsWith('https://') ||
  (publicUrl.startsWith('https://') && request.get('host') === hostOf(publicUrl))

/**
 * Gives the browser the cookie of a session, or takes it back.
 *
 * @param token null where the session has ended
 */
export function sendSession(
  request: Request,
  response: Response,
  publicUrl: string,
  token: string | null,
): void {
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

/**
 * Whether a browser says that a request comes from a page of this origin. The cookie is not sent across sites (SameSite);
 * this is for other origins of the same one.
 */
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
