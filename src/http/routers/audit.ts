import { z } from 'zod'
import { listAudit } from '../../accounts/audit/list.ts'
import { auditEntrySchema, auditFilterSchema } from '../../accounts/audit/schema.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { EXPORT_TYPES, everyPage, exportFormat } from '../export.ts'
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
        const parts = everyPage((page) => listAudit(pool, { accountId, ...filter, ...page }))
        const columns = Object.keys(auditEntrySchema.shape)
        return { status: 200, parts, format, columns, name: 'galley-audit' }
      },
    }),
  ]
}
