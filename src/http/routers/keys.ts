import { z } from 'zod'
import type { Caller } from '../../accounts/authenticate.ts'
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
import { answers, booleanFlag, createdResponse, type Endpoint, endpoint, pageQuery } from '../endpoint.ts'
import type { Services } from '../services.ts'

const LAST_KEY = 'LAST_KEY: it is the last one of an owner that does not expire.'
const keyFailures = { 403: 'It has more rights than your own.', 409: LAST_KEY }
const EXPIRED_ALREADY = 'A mistake in the request, or KEY_EXPIRED_ALREADY.'

export function keyEndpoints({ database, config }: Services): Endpoint[] {
  const { prisma, pool } = database
  const sessionOf = async (caller: Caller, id?: string) => ({
    ...(await readSession(pool, caller, id)),
    sends_mail: config.mail !== undefined,
  })
  return [
    endpoint('POST /v1/keys', {
      operationId: 'createKey',
      right: 'keys.manage',
      action: 'key.create',
      summary: 'Create an API key',
      description:
        'It is allowed what its role is allowed, on the sites that it is limited to, until it expires; nothing that your own key is not.',
      body: newKeySchema,
      idempotent: true,
      answer: answers.created('The key, shown only once.', keyWithSecretSchema),
      failures: {
        403: 'Your own key is not allowed as much.',
        422: 'A mistake in the request, KEY_LIMITED_OWNER, KEY_EXPIRED_ALREADY or SITE_UNKNOWN.',
      },
      async handle({ caller, body, making: { id, againSince } }) {
        if (againSince) await prisma.apiKey.deleteMany({ where: { id, accountId: caller.accountId } })
        return issueKey(prisma, caller, { ...body, id })
      },
    }),
    endpoint('GET /v1/keys', {
      operationId: 'listKeys',
      right: 'keys.manage',
      summary: 'List the API keys, the newest first',
      query: pageQuery,
      answer: answers.page('The keys, revoked ones too.', keySchema),
      handle: ({ caller: { accountId }, query }) => listKeys(prisma, { accountId, ...query }),
    }),
    endpoint('PATCH /v1/keys/{uuid}', {
      operationId: 'updateKey',
      right: 'keys.manage',
      action: 'key.change',
      summary: 'Rename an API key, or change when it expires',
      body: keyPatchSchema,
      answer: answers.data('The key.', keySchema),
      failures: { ...keyFailures, 422: EXPIRED_ALREADY },
      handle: ({ caller, params, body }) => changeKey(prisma, caller, params.uuid, body),
    }),
    endpoint('POST /v1/keys/{uuid}/rotate', {
      operationId: 'rotateKey',
      right: 'keys.manage',
      action: 'key.rotate',
      summary: 'Replace a key with a new one; the old one keeps working for a while',
      description: 'It has the name, the role and the limits of the old one, and an id of its own.',
      body: keyRotationSchema,
      idempotent: true,
      answer: answers.created('The new key, shown only once.', rotatedKeySchema),
      failures: { ...keyFailures, 409: `${LAST_KEY} KEY_ENDED.`, 422: EXPIRED_ALREADY },
      handle: ({ caller, params, body, making }) =>
        rotateKey(prisma, caller, { id: params.uuid, newId: making.id }, body),
    }),
    endpoint('DELETE /v1/keys/{uuid}', {
      operationId: 'revokeKey',
      right: 'keys.manage',
      action: 'key.revoke',
      summary: 'Revoke an API key',
      answer: answers.data('The key, revoked at once.', keySchema),
      failures: keyFailures,
      handle: ({ caller, params }) => revokeKey(prisma, caller, params.uuid),
    }),
    endpoint('POST /v1/session', {
      operationId: 'beginSession',
      right: 'session',
      action: 'session.begin',
      summary: 'Sign in with an API key',
      description:
        'Sets a cookie (HttpOnly, SameSite=Strict) that stands in for the key in requests from Galley’s own page, and from no other. It ends after a day without a request, after 14 days, or with the key.',
      answer: answers.own('Who is signed in; the cookie is set.', createdResponse(sessionSchema), {
        status: 201,
      }),
      failures: { 409: 'SIGNED_IN_ALREADY: it is a session that asks.' },
      async handle({ caller }) {
        const { id, token } = await beginSession(pool, caller)
        const data = await sessionOf(caller, id)
        return { status: 201, body: { success: true, id, data }, session: token }
      },
    }),
    endpoint('GET /v1/session', {
      operationId: 'getSession',
      right: 'session',
      summary: 'Read who is asking, and what it may do',
      answer: answers.data('The key or session.', sessionSchema),
      handle: ({ caller }) => sessionOf(caller),
    }),
    endpoint('DELETE /v1/session', {
      operationId: 'endSession',
      right: 'session',
      action: 'session.end',
      summary: 'Sign out, here or everywhere',
      query: signOutBody,
      answer: answers.own(
        'How many sessions have ended; the cookie is taken back.',
        z.object({ success: z.literal(true), ended: z.int() }),
      ),
      async handle({ caller, query }) {
        const ended = await endSessions(pool, caller, query.everywhere)
        return { status: 200, body: { success: true, ended }, changed: ended > 0, session: null }
      },
    }),
  ]
}

const signOutBody = z.strictObject({
  everywhere: booleanFlag.describe('All sessions that were started with this key, in every browser.'),
})
