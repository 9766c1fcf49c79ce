import type { RequestHandler } from 'express'
import { endpointsOf, wordOf, words } from './endpoints.ts'
import { lazyHandler } from './lazy-handler.ts'
import { mounting } from './mount.ts'
import { strictRouter } from './routing.ts'
import type { Services } from './services.ts'

/** The calls of the API. Those of one word (`/v1/sites/…`) are made together, when the first of them is asked for. */
export function api(services: Services): RequestHandler {
  const mount = mounting(services)
  const handlers = new Map(
    [...words].map((word) => [
      word,
      lazyHandler(async () => mount(strictRouter(), await endpointsOf(word, services))),
    ]),
  )
  return (request, response, next) => {
    const handle = handlers.get(wordOf(request.path) ?? '')
    return handle === undefined ? next() : handle(request, response, next)
  }
}
