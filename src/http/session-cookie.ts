import { parseCookie } from 'cookie'
import type { CookieOptions, Request, Response } from 'express'
import { SESSION_DAYS } from '../accounts/sessions/life.ts'

/** Over https under a name that no other host can set; over http, on one's own machine, under a plain one. */
const SECURE = '__Host-galley'
const PLAIN = 'galley'

const options = (secure: boolean): CookieOptions => ({
  path: '/',
  httpOnly: true,
  sameSite: 'strict',
  secure,
})

/**
 * What the cookie of a session says; undefined where there is none. Over https the plain name is nobody's: a host beside this
 * one, or whoever is on the way to it over http, could set it, and a person would work in a stranger's account.
 */
export function sessionTokenOf(request: Request, publicUrl: string): string | undefined {
  const cookies = cookiesOf(request)
  return cookies[SECURE] ?? (cameByHttps(request, publicUrl) ? undefined : cookies[PLAIN])
}

/** Whether a request has the cookie of a session, under whichever name. */
export const hasSession = (request: Request): boolean =>
  [SECURE, PLAIN].some((name) => cookiesOf(request)[name] !== undefined)

const cookiesOf = (request: Request) => parseCookie(request.get('cookie') ?? '')

/** A proxy in front ends https; the browser knows how the page came, and says it where something is changed. */
const cameByHttps = (request: Request, publicUrl: string): boolean =>
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
    response.clearCookie(SECURE, options(true)).clearCookie(PLAIN, options(false))
    return
  }
  const secure = cameByHttps(request, publicUrl)
  response.cookie(secure ? SECURE : PLAIN, token, {
    ...options(secure),
    maxAge: SESSION_DAYS * 24 * 60 * 60 * 1000,
  })
}

/**
 * Whether a browser says that a request comes from a page of this origin. The cookie is not sent across sites (SameSite);
 * this is for other origins of the same one.
 */
export function isOfOwnPage(request: Request, publicUrl: string): boolean {
  const site = request.get('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  // Over http from another machine browsers do not say it. They name the origin of all that is not plainly read.
  const origin = request.get('origin')
  if (origin === undefined) return request.method === 'GET' || request.method === 'HEAD'
  return [request.get('host'), hostOf(publicUrl)].includes(hostOf(origin))
}

const hostOf = (address: string): string | undefined =>
  URL.canParse(address) ? new URL(address).host : undefined
