import type { Request, RequestHandler, Response } from 'express'
import { authenticateKey, type Caller } from '../accounts/authenticate.ts'
import { mayBeLimited, mayUse, type Right, rights } from '../accounts/rights.ts'
import { authenticateSession } from '../accounts/sessions/authenticate.ts'
import { GalleyError } from '../errors.ts'
import type { Services } from './services.ts'
import { hasSession, isOfOwnPage, sessionTokenOf } from './session-cookie.ts'

/** Lets nobody past without a valid key, or a session that was begun with one; what follows asks `callerOf`. */
export function authentication({
  database,
  config: { publicUrl },
}: Pick<Services, 'database' | 'config'>): RequestHandler {
  return async (request, response, next) => {
    const key = keyOf(request)
    const token = key === undefined ? sessionTokenOf(request, publicUrl) : undefined
    if (key === undefined && hasSession(request) && !isOfOwnPage(request, publicUrl)) throw otherOrigin()
    response.locals.caller =
      token === undefined ? await authenticateKey(database, key) : await authenticateSession(database, token)
    next()
  }
}

const otherOrigin = () =>
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
  if (siteIds !== null && !mayBeLimited(right)) throw limited(right)
  if (mayUse(role, right)) return
  throw new GalleyError({
    code: 'FORBIDDEN',
    httpStatus: 403,
    fault: 'owner',
    action: 'owner',
    message: `This API key is of the role "${role}", which is not allowed to do this. Use a key of the role ${rights[right].join(', ')}, or ask whoever made this one.`,
    details: { right, roles: rights[right] },
  })
}

const limited = (right: Right) =>
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
function keyOf(request: Request): string | undefined {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(request.get('authorization') ?? '')?.[1]
  return bearer ?? (request.get('x-api-key')?.trim() || undefined)
}
