import { listAudit } from '../../accounts/audit/list.ts'
import { auditEntrySchema, auditFilterSchema } from '../../accounts/audit/schema.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { listOf, page } from '../schemas.ts'
import type { Services } from '../services.ts'

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
      query: page.extend(auditFilterSchema.shape),
      answers: { 200: { description: 'A page of the log.', schema: listOf(auditEntrySchema) } },
      async handle({ caller: { accountId }, query }) {
        const { items, nextCursor } = await listAudit(pool, { accountId, ...query })
        return { status: 200, body: { success: true, data: items, next_cursor: nextCursor } }
      },
    }),
  ]
}
