import { z } from 'zod'
import {
  createAccount,
  getAccount,
  getManagedAccount,
  grantAccountCredits,
  listAccounts,
  listCreditEntries,
  updateAccount,
  updateManagedAccount,
} from '../../accounts/accounts.ts'
import {
  type AuditEntryView,
  auditEntrySchema,
  auditFilterSchema,
  listAuditEntries,
} from '../../accounts/audit.ts'
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
import { memberColumns } from '../../lib/csv.ts'
import { answers, createdResponse, type Endpoint, endpoint, pageQuery } from '../endpoint.ts'
import type { Services } from '../services.ts'
import { exportAnswer, exportFormat, exportList } from '../streaming.ts'

const createdAccount = z.object({ account: managedAccountSchema, key: keyWithSecretSchema.shape.key })

const accountAnswer = answers.data('The account.', managedAccountSchema)

const creditEntriesQuery = pageQuery.extend({
  cursor: z
    .string()
    .regex(/^\d{1,18}$/, 'must be the next_cursor of the page before')
    .optional()
    .describe('`next_cursor` of the page before.'),
})

/** The caller's own account, all accounts for whoever runs this installation, and the audit log. */
export function accountEndpoints({ database }: Services): Endpoint[] {
  const { pool, prisma } = database
  return [
    endpoint('GET /v1/account', {
      operationId: 'getAccount',
      right: 'account.read',
      summary: 'Read the account of this key',
      answer: answers.data('The account.', accountSchema),
      handle: ({ caller: { accountId } }) => getAccount(pool, accountId),
    }),
    endpoint('PATCH /v1/account', {
      operationId: 'updateAccount',
      right: 'account.change',
      action: 'account.change',
      summary: 'Rename the account, or change what it has chosen',
      body: accountPatchSchema,
      answer: answers.data('The account.', accountSchema),
      handle: ({ caller: { accountId }, body }) => updateAccount(pool, accountId, body),
    }),
    endpoint('GET /v1/account/credits', {
      operationId: 'listCredits',
      right: 'account.read',
      summary: 'Read the balance and its ledger, the newest entry first',
      description: 'The balance is the sum of all entries, always.',
      query: creditEntriesQuery,
      answer: answers.page('The balance, and a page of the ledger.', creditEntrySchema, {
        balance: accountSchema.shape.credits,
        unlimited: accountSchema.shape.unlimited,
      }),
      async handle({ caller: { accountId }, query }) {
        const { credits, unlimited } = await getAccount(pool, accountId)
        const balance = { balance: credits, unlimited }
        return { ...(await listCreditEntries(prisma, { accountId, ...query })), ...balance }
      },
    }),
    endpoint('POST /v1/accounts', {
      operationId: 'createAccount',
      right: 'accounts.manage',
      action: 'account.create',
      summary: 'Create an account, and its first key',
      body: newAccountSchema,
      idempotent: true,
      answer: answers.own(
        'The account, and a key of its owner, shown only once.',
        createdResponse(createdAccount),
        { status: 201 },
      ),
      async handle({ body, making: { id, againSince } }) {
        // Its key was shown to nobody, so that there is nothing in it.
        if (againSince) await prisma.account.deleteMany({ where: { id } })
        const data = await createAccount(pool, { ...body, id })
        return { status: 201, body: { success: true, id: data.account.id, data } }
      },
    }),
    endpoint('GET /v1/accounts', {
      operationId: 'listAccounts',
      right: 'accounts.manage',
      summary: 'List the accounts, the newest first',
      query: pageQuery,
      answer: answers.page('A page of accounts, disabled ones too.', managedAccountSchema),
      handle: ({ query }) => listAccounts(pool, query),
    }),
    endpoint('GET /v1/accounts/{uuid}', {
      operationId: 'readAccount',
      right: 'accounts.manage',
      summary: 'Read an account',
      answer: accountAnswer,
      handle: ({ params }) => getManagedAccount(pool, params.uuid),
    }),
    endpoint('PATCH /v1/accounts/{uuid}', {
      operationId: 'changeAccount',
      right: 'accounts.manage',
      action: 'account.change',
      summary: 'Rename an account, disable or enable it, or lift its limit',
      description:
        'Once disabled, its keys and webhooks are refused from the next request on, and its deliveries wait until it is enabled. What is under way ends.',
      body: managedAccountPatchSchema,
      answer: accountAnswer,
      failures: { 409: 'OWN_ACCOUNT: it is your own, which you cannot disable.' },
      handle: ({ caller: { accountId: own }, params: { uuid: id }, body }) =>
        updateManagedAccount(pool, { id, own }, body),
    }),
    endpoint('POST /v1/accounts/{uuid}/credits', {
      operationId: 'grantCredits',
      right: 'accounts.manage',
      action: 'account.grant_credits',
      summary: 'Give an account credits',
      failures: { 422: 'A mistake in the request, or TOO_MANY_CREDITS.' },
      body: newGrantSchema,
      idempotent: true,
      answer: accountAnswer,
      handle: ({ params, body, making: { id } }) => grantAccountCredits(pool, params.uuid, { id, ...body }),
    }),
    endpoint('GET /v1/audit', {
      operationId: 'listAuditEntries',
      right: 'audit.read',
      summary: 'List what was done, the newest first',
      description:
        'Each call that changes something is entered before its answer is sent. No entry is ever changed or removed.',
      query: pageQuery.extend(auditFilterSchema.shape),
      answer: answers.page('A page of the log.', auditEntrySchema),
      handle: ({ caller: { accountId }, query }) => listAuditEntries(pool, { accountId, ...query }),
    }),
    endpoint('GET /v1/audit/export', {
      operationId: 'exportAuditEntries',
      right: 'audit.read',
      summary: 'Export what was done, the newest first',
      query: auditFilterSchema.extend({ format: exportFormat }),
      answer: exportAnswer,
      handle({ caller: { accountId }, query: { format, ...filter } }) {
        const columns = memberColumns<AuditEntryView>(...auditEntrySchema.keyof().options)
        return exportList({ name: 'audit', format, columns }, (page) =>
          listAuditEntries(pool, { accountId, ...filter, ...page }),
        )
      },
    }),
  ]
}
