import { z } from 'zod'
import { storeImport } from '../../sites/import-job/store.ts'
import { getImport, importSchema } from '../../sites/import-job/view.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { refuseOutOfSight } from '../limits.ts'
import { createdWith, flag, uuidInPath } from '../schemas.ts'
import type { Services } from '../services.ts'

/** The largest number that its column takes. */
const LAST_LINE = 2_147_483_647

const query = z.strictObject({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(20)
    .describe('Maximum lines in the answer, 1 to 100.'),
  cursor: z.coerce
    .number()
    .int()
    .min(0)
    .max(LAST_LINE)
    .optional()
    .describe('`next_cursor` of the page before.'),
})

const progress = z.object({
  success: z.literal(true),
  data: importSchema,
  next_cursor: z.string().nullable().describe('Give it as `cursor` for the next page; null on the last.'),
})

/** Files of sites, connected by a job. */
export function importEndpoints({
  database: { prisma, pool },
  keyring,
}: Pick<Services, 'database' | 'keyring'>): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/v1/imports',
      operationId: 'createImport',
      right: 'sites.change',
      action: 'import.create',
      idempotent: true,
      tag: 'Sites',
      summary: 'Connect the sites of a CSV file, as a job',
      description:
        'Of the same file as POST /v1/sites/import, which answers when all is done. Here nobody waits: each line is connected or refused by itself, also after a restart. Passwords are kept encrypted until they are tried.',
      query: z.strictObject({ dry_run: flag.describe('Try every line on its site, and store nothing.') }),
      body: z.string().describe('The file.'),
      bodyType: 'text/csv',
      answers: { 202: { description: 'The import is stored.', schema: createdWith(importSchema) } },
      failures: { 415: 'The body is not text/csv.', 422: 'The file as a whole cannot be read.' },
      async handle({ caller, query: { dry_run: dryRun }, body: csv, making }) {
        // Its report would tell of sites that the key does not see.
        refuseOutOfSight(caller, { labels: [] })
        const { accountId } = caller
        const asked = { id: making.id, accountId, csv, dryRun }
        const id = await storeImport({ prisma, keyring, pool }, asked)
        const { view } = await getImport(prisma, { accountId, id, limit: 20 })
        return { status: 202, body: { success: true, id, data: view } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/imports/{uuid}',
      operationId: 'getImport',
      right: 'sites.read',
      tag: 'Sites',
      summary: 'Read the progress of an import, line by line',
      params: uuidInPath,
      query,
      answers: { 200: { description: 'Its progress and a page of its lines.', schema: progress } },
      failures: { 404: 'No such import in this account.' },
      async handle({ caller: { accountId }, params: { uuid: id }, query }) {
        const { view, nextCursor } = await getImport(prisma, { accountId, id, ...query })
        return { status: 200, body: { success: true, data: view, next_cursor: nextCursor } }
      },
    }),
  ]
}
