import { z } from 'zod'
import { sessionSchema } from '../../accounts/sessions/schema.ts'
import { beginSession, endSessions, readSession } from '../../accounts/sessions/sessions.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { answerWith, createdWith, flag } from '../schemas.ts'
import type { Services } from '../services.ts'

const everywhere = z.strictObject({
  everywhere: flag.describe('All sessions that were started with this key, in every browser.'),
})

/** Signing in to the page at `/`: a key is traded for a cookie that no script can read. */
export function sessionEndpoints({ database: { pool } }: Pick<Services, 'database'>): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/v1/session',
      operationId: 'beginSession',
      right: 'session',
      action: 'session.begin',
      tag: 'Session',
      summary: 'Sign in with an API key',
      description:
        'Sets a cookie (HttpOnly, SameSite=Strict) that stands in for the key in requests from Galley’s own page, and from no other. It ends after a day without a request, after 14 days, or with the key.',
      answers: {
        201: { description: 'Who is signed in; the cookie is set.', schema: createdWith(sessionSchema) },
      },
      failures: { 409: 'It is a session that asks.' },
      async handle({ caller }) {
        const { id, token } = await beginSession(pool, caller)
        const data = await readSession(pool, caller, id)
        return { status: 201, body: { success: true, id, data }, session: token }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/session',
      operationId: 'getSession',
      right: 'session',
      tag: 'Session',
      summary: 'Read who is asking, and what it may do',
      answers: { 200: { description: 'The key or session.', schema: answerWith(sessionSchema) } },
      async handle({ caller }) {
        return { status: 200, body: { success: true, data: await readSession(pool, caller) } }
      },
    }),
    endpoint({
      method: 'delete',
      path: '/v1/session',
      operationId: 'endSession',
      right: 'session',
      action: 'session.end',
      tag: 'Session',
      summary: 'Sign out, here or everywhere',
      query: everywhere,
      answers: {
        200: {
          description: 'How many sessions have ended; the cookie is taken back.',
          schema: z.object({ success: z.literal(true), ended: z.int() }),
        },
      },
      async handle({ caller, query }) {
        const ended = await endSessions(pool, caller, query.everywhere)
        return { status: 200, body: { success: true, ended }, changed: ended > 0, session: null }
      },
    }),
  ]
}
