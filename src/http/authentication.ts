import type { Request, RequestHandler, Response } from 'express'
import { authenticateKey, type Caller } from '../accounts/authenticate.ts'
import type { Services } from './services.ts'

/** Lets nobody past without a valid key; what follows asks `callerOf`. */
export function authentication({ database }: Pick<Services, 'database'>): RequestHandler {
  return async (request, response, next) => {
    response.locals.caller = await authenticateKey(database, keyOf(request))
    next()
  }
}

/** Who was let in by `authentication`. */
export const callerOf = (response: Response): Caller => response.locals.caller

/** The key of a request: `Authorization: Bearer` is recommended and wins, `X-API-Key` is the other way. */
function keyOf(request: Request): string | undefined {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(request.get('authorization') ?? '')?.[1]
  return bearer ?? (request.get('x-api-key')?.trim() || undefined)
}
