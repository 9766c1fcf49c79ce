import { z } from 'zod'
import { getImport, importSchema, storeImport } from '../../sites/import-job/job.ts'
import {
  answers,
  booleanFlag,
  type Endpoint,
  endpoint,
  JOB_LIMIT_DESCRIPTION,
  nextCursorSchema,
  pageQuery,
} from '../endpoint.ts'
import type { Services } from '../services.ts'
import { refuseInvisibleLabels } from '../site-access.ts'

const MAX_LINE_NUMBER = 2_147_483_647

const UNREADABLE_FILE = 'A mistake in the request, or CSV_UNREADABLE: the file as a whole cannot be read.'

const importLinesQuery = z.strictObject({
  limit: pageQuery.shape.limit.describe('Maximum lines in the answer, 1 to 100.'),
  cursor: z.coerce
    .number()
    .int()
    .min(0)
    .max(MAX_LINE_NUMBER)
    .optional()
    .describe('`next_cursor` of the page before.'),
})

export function importEndpoints({ database, keyring }: Services): Endpoint[] {
  const { prisma, pool } = database
  return [
    endpoint('POST /v1/imports', {
      operationId: 'createImport',
      right: 'sites.change',
      action: 'import.create',
      idempotent: true,
      summary: 'Connect the sites of a CSV file',
      description:
        'Its first line names the columns: url, username, application_password and, if wanted, name, id, owner_email and labels, several of them divided by commas or semicolons (one that has either in it stands in quotes). An exported file has more columns, which are ignored. At most 500 lines. A job connects or refuses each line by itself, also after a restart. Passwords are kept encrypted until they are tried.',
      query: z.strictObject({
        dry_run: booleanFlag.describe('Try every line on its site, and store nothing.'),
      }),
      body: z.string().describe('The file.'),
      bodyType: 'text/csv',
      answer: answers.created('The import is stored.', importSchema, 202),
      failures: { 415: 'The body is not text/csv.', 422: UNREADABLE_FILE, 429: JOB_LIMIT_DESCRIPTION },
      async handle({ caller, query: { dry_run: dryRun }, body: csv, making }) {
        // Its report would tell of sites that the key does not see.
        refuseInvisibleLabels(caller, { labels: [] })
        const { accountId } = caller
        const request = { id: making.id, accountId, csv, dryRun }
        const id = await storeImport({ prisma, keyring, pool }, request)
        return (await getImport(prisma, { accountId, id, limit: 20 })).view
      },
    }),
    endpoint('GET /v1/imports/{uuid}', {
      operationId: 'getImport',
      right: 'sites.read',
      summary: 'Read the progress of an import, line by line',
      query: importLinesQuery,
      answer: answers.members('Its progress and a page of its lines.', {
        data: importSchema,
        next_cursor: nextCursorSchema,
      }),
      async handle({ caller: { accountId }, params: { uuid: id }, query }) {
        const { view: data, nextCursor: next_cursor } = await getImport(prisma, { accountId, id, ...query })
        return { data, next_cursor }
      },
    }),
  ]
}
