import { z } from 'zod'
import { getAccount, listCreditEntries, updateAccount } from '../../accounts/account.ts'
import { accountPatchSchema, accountSchema, creditEntrySchema } from '../../accounts/schema.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { answerWith, listOf, page } from '../schemas.ts'
import type { Services } from '../services.ts'

const entries = page.extend({
  cursor: z
    .string()
    .regex(/^\d{1,18}$/, 'must be the next_cursor of the page before')
    .optional()
    .describe('`next_cursor` of the page before.'),
})

/** The caller's own account, and its credits. */
export function accountEndpoints({ database: { prisma } }: Pick<Services, 'database'>): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/v1/account',
      operationId: 'getAccount',
      right: 'account.read',
      tag: 'Account',
      summary: 'Read the account of this key',
      answers: { 200: { description: 'The account.', schema: answerWith(accountSchema) } },
      async handle({ caller: { accountId } }) {
        return { status: 200, body: { success: true, data: await getAccount(prisma, accountId) } }
      },
    }),
    endpoint({
      method: 'patch',
      path: '/v1/account',
      operationId: 'updateAccount',
      right: 'account.change',
      action: 'account.change',
      tag: 'Account',
      summary: 'Rename the account, or change what it has chosen',
      body: accountPatchSchema,
      answers: { 200: { description: 'The account.', schema: answerWith(accountSchema) } },
      async handle({ caller: { accountId }, body }) {
        return { status: 200, body: { success: true, data: await updateAccount(prisma, accountId, body) } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/account/credits',
      operationId: 'listCredits',
      right: 'account.read',
      tag: 'Account',
      summary: 'Read the balance and its ledger, the newest entry first',
      description: 'The balance is the sum of all entries, always.',
      query: entries,
      answers: {
        200: {
          description: 'The balance, and a page of the ledger.',
          schema: listOf(creditEntrySchema).extend({
            balance: accountSchema.shape.credits,
            unlimited: accountSchema.shape.unlimited,
          }),
        },
      },
      async handle({ caller: { accountId }, query }) {
        const { credits: balance, unlimited } = await getAccount(prisma, accountId)
        const { items, nextCursor } = await listCreditEntries(prisma, { accountId, ...query })
        const body = { success: true, balance, unlimited, data: items, next_cursor: nextCursor }
        return { status: 200, body }
      },
    }),
  ]
}
