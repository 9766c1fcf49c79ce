import type { Request, RequestHandler, Response } from 'express'
import { authenticateKey, type Caller } from '../accounts/authenticate.ts'
import { mayBeLimited, mayUse, type Right, rights } from '../accounts/rights.ts'
import { GalleyError } from '../errors.ts'
import type { Services } from './services.ts'

/** Lets nobody past without a valid key; what follows asks `callerOf`. */
export function authentication({ database }: Pick<Services, 'database'>): RequestHandler {
  return async (request, response, next) => {
    response.locals.caller = await authenticateKey(database, keyOf(request))
    next()
  }
}

/**
 * Lets nobody past whose key has not this right: 403, before anything of the request is read.
 *
 * @throws GalleyError 403 `FORBIDDEN`
 */
export const authorization =
  (right: Right): RequestHandler =>
  (_request, response, next) => {
    const { role, siteIds } = callerOf(response)
    if (siteIds !== null && !mayBeLimited(right)) throw limited(right)
    if (mayUse(role, right)) return next()
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
