import express, { type RequestHandler, type Router } from 'express'
import { answered } from '../connect/answered.ts'
import { ask } from '../connect/ask.ts'
import { connected } from '../connect/connected.ts'
import { failed, refused, rejected } from '../connect/ended.ts'
import { connectErrors, leaveAddress } from '../connect/failures.ts'
import { pageLimit, tryLimit } from '../connect/limits.ts'
import { otherMethods } from '../errors.ts'
import { named } from '../metrics.ts'
import { withoutZstd } from '../read-body.ts'
import { strictRouter } from '../routing.ts'
import type { Services } from '../services.ts'

/** The pages of a connect link, for the owner of a site: no key opens them but the link's own token. */
export function connectRouter(services: Services): Router {
  const router = strictRouter()
  const leave = leaveAddress(services)
  router.use('/connect', pageLimit())
  const tries = tryLimit()
  const open = (path: string, ...handlers: RequestHandler<{ token: string }>[]) =>
    router
      .route(path)
      .all(named(path.replace(':token', '{token}')))
      .get(...handlers)

  open('/connect/:token', ask(services))
    .post(
      tries,
      withoutZstd,
      express.urlencoded({ extended: false, limit: '16kb' }),
      answered(services, 'body'),
    )
    .all(otherMethods(['GET', 'POST']))
  open('/connect/:token/approved', tries, answered(services, 'query')).all(otherMethods(['GET']))
  router.use('/connect/:token/approved', leave)
  open('/connect/:token/rejected', rejected(services)).all(otherMethods(['GET']))
  open('/connect/:token/connected', connected(services)).all(otherMethods(['GET']))
  open('/connect/:token/failed', failed(services)).all(otherMethods(['GET']))
  open('/connect/:token/refused', refused).all(otherMethods(['GET']))
  router.use('/connect', connectErrors)
  return router
}
