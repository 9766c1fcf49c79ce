import express, { type Router } from 'express'
import { otherMethods } from '../errors.ts'
import { named } from '../metrics.ts'
import { strictRouter } from '../routing.ts'
import type { Services } from '../services.ts'
import { webhookPath } from '../webhook-description.ts'
import { failureAtDoor } from '../webhook-door.ts'

/**
 * The way in for what the door (webhook-door.ts) leaves: what is unusual, as compressed bodies are, and what failed
 * there. The body is read as bytes, whatever it calls itself: the bytes are what is signed and stored. No rate limit:
 * the token has proved who sends.
 */
export function webhookRouter({ intake, config }: Pick<Services, 'intake' | 'config'>): Router {
  const router = strictRouter()
  router
    .route('/v1/webhooks/:token')
    .all(named(webhookPath))
    .post((request, _response, next) => next(failureAtDoor(request)))
    .post(express.raw({ type: () => true, limit: config.maxWebhookBytes }), async (request, response) => {
      // Express leaves the body undefined where there was none.
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const answer = await intake.receive({ token: request.params.token, headers: request.headers, body })
      response.status(answer.httpStatus).json(answer.body)
    })
    .all(otherMethods(['POST']))
  return router
}
