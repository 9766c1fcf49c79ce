import { createKey, listKeys, revokeKey } from '../../accounts/keys.ts'
import { keySchema, keyWithSecretSchema, newKeySchema } from '../../accounts/schema.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { answerWith, createdWith, listOf, page, uuidInPath } from '../schemas.ts'
import type { Services } from '../services.ts'

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
      body: newKeySchema,
      answers: {
        201: { description: 'The key, shown this once.', schema: createdWith(keyWithSecretSchema) },
      },
      async handle({ caller: { accountId }, body }) {
        const data = await createKey(prisma, { accountId, name: body.name })
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
      query: page,
      answers: { 200: { description: 'The keys, revoked ones too.', schema: listOf(keySchema) } },
      async handle({ caller: { accountId }, query }) {
        const { items, nextCursor } = await listKeys(prisma, { accountId, ...query })
        return { status: 200, body: { success: true, data: items, next_cursor: nextCursor } }
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
      answers: { 200: { description: 'The key, which ended at once.', schema: answerWith(keySchema) } },
      failures: { 404: 'No such key in this account.', 409: 'It is the last one.' },
      async handle({ caller: { accountId }, params }) {
        const data = await revokeKey(prisma, { accountId, id: params.uuid })
        return { status: 200, body: { success: true, data } }
      },
    }),
  ]
}
