import type { RequestHandler } from 'express'

/** A handler that is made when it is first asked: what it is made of is loaded then, and a start does not wait for it. */
export function lazyHandler(make: () => Promise<RequestHandler>): RequestHandler {
  let made: Promise<RequestHandler> | undefined
  return async (request, response, next) => {
    made ??= make()
    const handle = await made
    return handle(request, response, next)
  }
}
