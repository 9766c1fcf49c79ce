import type { Router } from 'express'
import { otherMethods } from '../errors.ts'
import { named } from '../metrics.ts'
import { strictRouter } from '../routing.ts'
import type { Services } from '../services.ts'
import { takeWebhook } from '../take-webhook.ts'
import { webhookPath } from '../webhook-description.ts'
import { failureAtDoor } from '../webhook-fast-path.ts'

/**
 * The way in for what the door (webhook-fast-path.ts) leaves: what is unusual, and what failed there. The body is read as
 * bytes, whatever it calls itself: the bytes are what is signed and stored. No rate limit: the token has proved who sends.
 */
export function webhookRouter(services: Pick<Services, 'intake' | 'config' | 'budget'>): Router {
  const router = strictRouter()
  router
    .route('/v1/webhooks/:token')
    .all(named(webhookPath))
    .post((request, _response, next) => next(failureAtDoor(request)))
    .post(async (request, response) => {
      const answer = await takeWebhook(services, request, request.params.token)
      response.status(answer.httpStatus).json(answer.body)
    })
    .all(otherMethods(['POST']))
  return router
}
