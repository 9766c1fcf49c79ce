import { z } from 'zod'
import { changeKey, issueKey, listKeys, revokeKey, rotateKey } from '../../accounts/keys.ts'
import {
  keyPatchSchema,
  keyRotationSchema,
  keySchema,
  keyWithSecretSchema,
  newKeySchema,
  rotatedKeySchema,
} from '../../accounts/schema.ts'
import { beginSession, endSessions, readSession, sessionSchema } from '../../accounts/sessions.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import type { Services } from '../services.ts'
import {
  booleanFlag,
  createdResponse,
  dataResponse,
  listResponse,
  pageQuery,
  uuidInPath,
} from '../validation.ts'

const keyFailures = {
  403: 'It has more rights than your own.',
  404: 'No such key in this account.',
  409: 'It is the last one of an owner that does not expire.',
}

/** The API keys of the caller's account. */
export function keyEndpoints({ database: { prisma } }: Pick<Services, 'database'>): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/v1/keys',
      operationId: 'createKey',
      right: 'keys.manage',
      action: 'key.create',
      tag: 'Keys',
      summary: 'Create an API key',
      description:
        'It is allowed what its role is allowed, on the sites that it is limited to, until it expires; nothing that your own key is not.',
      body: newKeySchema,
      idempotent: true,
      answers: {
        201: { description: 'The key, shown only once.', schema: createdResponse(keyWithSecretSchema) },
      },
      failures: { 403: 'Your own key is not allowed as much.', 422: 'A mistake in the request.' },
      async handle({ caller, body, making: { id, againSince } }) {
        // It was shown to nobody.
        if (againSince) await prisma.apiKey.deleteMany({ where: { id, accountId: caller.accountId } })
        const data = await issueKey(prisma, caller, { ...body, id })
        return { status: 201, body: { success: true, id: data.id, data } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/keys',
      operationId: 'listKeys',
      right: 'keys.manage',
      tag: 'Keys',
      summary: 'List the API keys, the newest first',
      query: pageQuery,
      answers: { 200: { description: 'The keys, revoked ones too.', schema: listResponse(keySchema) } },
      async handle({ caller: { accountId }, query }) {
        const { items, nextCursor } = await listKeys(prisma, { accountId, ...query })
        return { status: 200, body: { success: true, data: items, next_cursor: nextCursor } }
      },
    }),
    endpoint({
      method: 'patch',
      path: '/v1/keys/{uuid}',
      operationId: 'updateKey',
      right: 'keys.manage',
      action: 'key.change',
      tag: 'Keys',
      summary: 'Rename an API key, or change when it expires',
      params: uuidInPath,
      body: keyPatchSchema,
      answers: { 200: { description: 'The key.', schema: dataResponse(keySchema) } },
      failures: { ...keyFailures, 422: 'A mistake in the request.' },
      async handle({ caller, params, body }) {
        const data = await changeKey(prisma, caller, params.uuid, body)
        return { status: 200, body: { success: true, data } }
      },
    }),
    endpoint({
      method: 'post',
      path: '/v1/keys/{uuid}/rotate',
      operationId: 'rotateKey',
      right: 'keys.manage',
      action: 'key.rotate',
      tag: 'Keys',
      summary: 'Replace a key with a new one; the old one keeps working for a while',
      description: 'It has the name, the role and the limits of the old one, and an id of its own.',
      params: uuidInPath,
      body: keyRotationSchema,
      idempotent: true,
      answers: {
        201: { description: 'The new key, shown only once.', schema: createdResponse(rotatedKeySchema) },
      },
      failures: { ...keyFailures, 409: 'It has ended.', 422: 'A mistake in the request.' },
      async handle({ caller, params, body, making }) {
        const data = await rotateKey(prisma, caller, { id: params.uuid, newId: making.id }, body)
        return { status: 201, body: { success: true, id: data.id, data } }
      },
    }),
    endpoint({
      method: 'delete',
      path: '/v1/keys/{uuid}',
      operationId: 'revokeKey',
      right: 'keys.manage',
      action: 'key.revoke',
      tag: 'Keys',
      summary: 'Revoke an API key',
      params: uuidInPath,
      answers: { 200: { description: 'The key, revoked at once.', schema: dataResponse(keySchema) } },
      failures: keyFailures,
      async handle({ caller, params }) {
        const data = await revokeKey(prisma, caller, params.uuid)
        return { status: 200, body: { success: true, data } }
      },
    }),
  ]
}

const signOutBody = z.strictObject({
  everywhere: booleanFlag.describe('All sessions that were started with this key, in every browser.'),
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
        201: { description: 'Who is signed in; the cookie is set.', schema: createdResponse(sessionSchema) },
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
      answers: { 200: { description: 'The key or session.', schema: dataResponse(sessionSchema) } },
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
      query: signOutBody,
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
