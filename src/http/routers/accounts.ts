import { z } from 'zod'
import {
  createManagedAccount,
  getAccount,
  getManagedAccount,
  grantAccountCredits,
  listAccounts,
  listCreditEntries,
  updateAccount,
  updateManagedAccount,
} from '../../accounts/accounts.ts'
import { auditEntrySchema, auditFilterSchema, listAuditEntries } from '../../accounts/audit/list.ts'
import {
  accountPatchSchema,
  accountSchema,
  creditEntrySchema,
  keyWithSecretSchema,
  managedAccountPatchSchema,
  managedAccountSchema,
  newAccountSchema,
  newGrantSchema,
} from '../../accounts/schema.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import type { Services } from '../services.ts'
import { EXPORT_TYPES, everyPage, exportFormat } from '../streaming.ts'
import { createdResponse, dataResponse, listResponse, pageQuery, uuidInPath } from '../validation.ts'

const createdAccount = z.object({ account: managedAccountSchema, key: keyWithSecretSchema.shape.key })

const managedBy = { right: 'accounts.manage', tag: 'Accounts' } as const
const accountFailures = { 404: 'No such account.' }
const accountResponses = { 200: { description: 'The account.', schema: dataResponse(managedAccountSchema) } }

/** The accounts of this installation, for whoever runs it. What is in one is seen by its own keys alone. */
export function accountsEndpoints({ database: { pool, prisma } }: Pick<Services, 'database'>): Endpoint[] {
  return [
    endpoint({
      ...managedBy,
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
          schema: createdResponse(createdAccount),
        },
      },
      async handle({ body, making: { id, againSince } }) {
        // Its key was shown to nobody, so that there is nothing in it.
        if (againSince) await prisma.account.deleteMany({ where: { id } })
        const data = await createManagedAccount(pool, { ...body, id })
        return { status: 201, body: { success: true, id: data.account.id, data } }
      },
    }),
    endpoint({
      ...managedBy,
      method: 'get',
      path: '/v1/accounts',
      operationId: 'listAccounts',
      summary: 'List the accounts, the newest first',
      query: pageQuery,
      answers: {
        200: {
          description: 'A page of accounts, disabled ones too.',
          schema: listResponse(managedAccountSchema),
        },
      },
      async handle({ query }) {
        const { items, nextCursor } = await listAccounts(pool, query)
        return { status: 200, body: { success: true, data: items, next_cursor: nextCursor } }
      },
    }),
    endpoint({
      ...managedBy,
      method: 'get',
      path: '/v1/accounts/{uuid}',
      operationId: 'readAccount',
      summary: 'Read an account',
      params: uuidInPath,
      answers: accountResponses,
      failures: accountFailures,
      async handle({ params }) {
        return { status: 200, body: { success: true, data: await getManagedAccount(pool, params.uuid) } }
      },
    }),
    endpoint({
      ...managedBy,
      method: 'patch',
      path: '/v1/accounts/{uuid}',
      operationId: 'changeAccount',
      action: 'account.change',
      summary: 'Rename an account, disable or enable it, or lift its limit',
      description:
        'Once disabled, its keys and webhooks are refused from the next request on, and its deliveries wait until it is enabled. What is under way ends.',
      params: uuidInPath,
      body: managedAccountPatchSchema,
      answers: accountResponses,
      failures: { ...accountFailures, 409: 'It is your own, which you cannot disable.' },
      async handle({ caller: { accountId: own }, params: { uuid: id }, body }) {
        return {
          status: 200,
          body: { success: true, data: await updateManagedAccount(pool, { id, own }, body) },
        }
      },
    }),
    endpoint({
      ...managedBy,
      method: 'post',
      path: '/v1/accounts/{uuid}/credits',
      operationId: 'grantCredits',
      action: 'account.grant_credits',
      summary: 'Give an account credits',
      params: uuidInPath,
      body: newGrantSchema,
      idempotent: true,
      answers: accountResponses,
      failures: accountFailures,
      async handle({ params, body, making: { id } }) {
        return {
          status: 200,
          body: { success: true, data: await grantAccountCredits(pool, params.uuid, { id, ...body }) },
        }
      },
    }),
  ]
}

const creditEntriesQuery = pageQuery.extend({
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
      answers: { 200: { description: 'The account.', schema: dataResponse(accountSchema) } },
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
      answers: { 200: { description: 'The account.', schema: dataResponse(accountSchema) } },
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
      query: creditEntriesQuery,
      answers: {
        200: {
          description: 'The balance, and a page of the ledger.',
          schema: listResponse(creditEntrySchema).extend({
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

/** Who did what to what. */
export function auditEndpoints({ database: { pool } }: Pick<Services, 'database'>): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/v1/audit',
      operationId: 'listAuditEntries',
      right: 'audit.read',
      tag: 'Audit',
      summary: 'List what was done, the newest first',
      description:
        'Each call that changes something is entered before its answer is sent. No entry is ever changed or removed.',
      query: pageQuery.extend(auditFilterSchema.shape),
      answers: { 200: { description: 'A page of the log.', schema: listResponse(auditEntrySchema) } },
      async handle({ caller: { accountId }, query }) {
        const { items, nextCursor } = await listAuditEntries(pool, { accountId, ...query })
        return { status: 200, body: { success: true, data: items, next_cursor: nextCursor } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/audit/export',
      operationId: 'exportAuditEntries',
      right: 'audit.read',
      tag: 'Audit',
      summary: 'Export what was done, the newest first',
      query: auditFilterSchema.extend({ format: exportFormat }),
      answers: {
        200: {
          description: 'Every entry that matches.',
          schema: z.string(),
          types: Object.values(EXPORT_TYPES),
        },
      },
      async handle({ caller: { accountId }, query: { format, ...filter } }) {
        const parts = everyPage((page) => listAuditEntries(pool, { accountId, ...filter, ...page }))
        const columns = Object.keys(auditEntrySchema.shape)
        return { status: 200, parts, format, columns, name: 'galley-audit' }
      },
    }),
  ]
}
