import { z } from 'zod'
import { changeAccount, grant, listAccounts, makeAccount, readAccount } from '../../accounts/manage.ts'
import {
  keyWithSecretSchema,
  managedAccountPatchSchema,
  managedAccountSchema,
  newAccountSchema,
  newGrantSchema,
} from '../../accounts/schema.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { answerWith, createdWith, listOf, page, uuidInPath } from '../schemas.ts'
import type { Services } from '../services.ts'

const made = z.object({ account: managedAccountSchema, key: keyWithSecretSchema.shape.key })

const common = { right: 'accounts.manage', tag: 'Accounts' } as const
const failures = { 404: 'No such account.' }
const answers = { 200: { description: 'The account.', schema: answerWith(managedAccountSchema) } }

/** The accounts of this installation, for whoever runs it. What is in one is seen by its own keys alone. */
export function accountsEndpoints({ database: { pool, prisma } }: Pick<Services, 'database'>): Endpoint[] {
  return [
    endpoint({
      ...common,
      method: 'post',
      path: '/v1/accounts',
      operationId: 'createAccount',
      action: 'account.create',
      summary: 'Create an account, and its first key',
      body: newAccountSchema,
      idempotent: true,
      answers: {
        201: {
          description: 'The account, and a key of its owner, shown only once.',
          schema: createdWith(made),
        },
      },
      async handle({ body, making: { id, againSince } }) {
        // Its key was shown to nobody, so that there is nothing in it.
        if (againSince) await prisma.account.deleteMany({ where: { id } })
        const data = await makeAccount(pool, { ...body, id })
        return { status: 201, body: { success: true, id: data.account.id, data } }
      },
    }),
    endpoint({
      ...common,
      method: 'get',
      path: '/v1/accounts',
      operationId: 'listAccounts',
      summary: 'List the accounts, the newest first',
      query: page,
      answers: {
        200: { description: 'A page of accounts, disabled ones too.', schema: listOf(managedAccountSchema) },
      },
      async handle({ query }) {
        const { items, nextCursor } = await listAccounts(pool, query)
        return { status: 200, body: { success: true, data: items, next_cursor: nextCursor } }
      },
    }),
    endpoint({
      ...common,
      method: 'get',
      path: '/v1/accounts/{uuid}',
      operationId: 'readAccount',
      summary: 'Read an account',
      params: uuidInPath,
      answers,
      failures,
      async handle({ params }) {
        return { status: 200, body: { success: true, data: await readAccount(pool, params.uuid) } }
      },
    }),
    endpoint({
      ...common,
      method: 'patch',
      path: '/v1/accounts/{uuid}',
      operationId: 'changeAccount',
      action: 'account.change',
      summary: 'Rename an account, disable or enable it, or lift its limit',
      description:
        'Once disabled, its keys and webhooks are refused from the next request on, and its deliveries wait until it is enabled. What is under way ends.',
      params: uuidInPath,
      body: managedAccountPatchSchema,
      answers,
      failures: { ...failures, 409: 'It is your own, which you cannot disable.' },
      async handle({ caller: { accountId: own }, params: { uuid: id }, body }) {
        return {
          status: 200,
          body: { success: true, data: await changeAccount(pool, { id, own }, body) },
        }
      },
    }),
    endpoint({
      ...common,
      method: 'post',
      path: '/v1/accounts/{uuid}/credits',
      operationId: 'grantCredits',
      action: 'account.grant_credits',
      summary: 'Give an account credits',
      params: uuidInPath,
      body: newGrantSchema,
      idempotent: true,
      answers,
      failures,
      async handle({ params, body, making: { id } }) {
        return { status: 200, body: { success: true, data: await grant(pool, params.uuid, { id, ...body }) } }
      },
    }),
  ]
}
