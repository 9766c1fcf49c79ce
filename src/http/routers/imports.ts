import { z } from 'zod'
import { uuid } from '../../contract/scalars.ts'
import { resumeLockedSite } from '../../delivery/ledger/pause-and-resume.ts'
import { startCheck } from '../../sites/health/checks.ts'
import { importedLineSchema, importSites } from '../../sites/import.ts'
import { storeImport } from '../../sites/import-job/job.ts'
import { getImport, importSchema } from '../../sites/import-job/view.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import type { Services } from '../services.ts'
import { refuseInvisibleLabels } from '../site-access.ts'
import { booleanFlag, createdResponse, uuidInPath } from '../validation.ts'

/** The largest number that its column takes. */
const MAX_LINE_NUMBER = 2_147_483_647

const importLinesQuery = z.strictObject({
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
    .max(MAX_LINE_NUMBER)
    .optional()
    .describe('`next_cursor` of the page before.'),
})

const importProgress = z.object({
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
      query: z.strictObject({
        dry_run: booleanFlag.describe('Try every line on its site, and store nothing.'),
      }),
      body: z.string().describe('The file.'),
      bodyType: 'text/csv',
      answers: { 202: { description: 'The import is stored.', schema: createdResponse(importSchema) } },
      failures: { 415: 'The body is not text/csv.', 422: 'The file as a whole cannot be read.' },
      async handle({ caller, query: { dry_run: dryRun }, body: csv, making }) {
        // Its report would tell of sites that the key does not see.
        refuseInvisibleLabels(caller, { labels: [] })
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
      query: importLinesQuery,
      answers: { 200: { description: 'Its progress and a page of its lines.', schema: importProgress } },
      failures: { 404: 'No such import in this account.' },
      async handle({ caller: { accountId }, params: { uuid: id }, query }) {
        const { view, nextCursor } = await getImport(prisma, { accountId, id, ...query })
        return { status: 200, body: { success: true, data: view, next_cursor: nextCursor } }
      },
    }),
  ]
}

const importResult = z.object({
  success: z.literal(true),
  data: z.array(importedLineSchema),
  check_id: uuid
    .nullable()
    .describe(
      'The check of the connected sites: GET /v1/sites/check/{uuid}. Null for none, or where it could not be started.',
    ),
})

/** Many sites at once, from a file. */
export function siteImportEndpoints({
  database: { prisma, pool },
  keyring,
  outbound,
  log,
}: Pick<Services, 'database' | 'keyring' | 'outbound' | 'log'>): Endpoint[] {
  /** The sites are stored: where this fails, that is still the answer. */
  const check = async (accountId: string, siteIds: string[]): Promise<string | null> => {
    if (siteIds.length === 0) return null
    try {
      return await startCheck(pool, { accountId, siteIds })
    } catch (error) {
      log.error({ err: error }, 'imported sites could not be checked')
      return null
    }
  }
  return [
    endpoint({
      method: 'post',
      path: '/v1/sites/import',
      operationId: 'importSites',
      right: 'sites.change',
      action: 'site.import',
      tag: 'Sites',
      summary: 'Connect the sites of a CSV file',
      description:
        'Its first line names the columns: url, username, application_password and, if wanted, name, id and labels (divided by ;). At most 500 lines. Each line is connected or refused by itself.',
      query: z.strictObject({
        dry_run: booleanFlag.describe('Try every line on its site, and store nothing.'),
      }),
      body: z.string().describe('The file.'),
      bodyType: 'text/csv',
      answers: { 200: { description: 'What became of each line, in their order.', schema: importResult } },
      failures: { 415: 'The body is not text/csv.', 422: 'The file as a whole cannot be read.' },
      async handle({ caller, query: { dry_run: dryRun }, body, gone }) {
        const { accountId, siteIds: seen } = caller
        const refuse = (site: { labels: string[] }) => refuseInvisibleLabels(caller, site)
        const importer = { prisma, keyring, outbound, log, resume: resumeLockedSite }
        const data = await importSites(importer, {
          accountId,
          siteIds: seen,
          csv: body,
          dryRun,
          gone,
          refuse,
        })
        const siteIds = data.flatMap(({ id }) => (id === undefined ? [] : [id]))
        const checkId = await check(accountId, siteIds)
        return { status: 200, body: { success: true, data, check_id: checkId }, changed: !dryRun }
      },
    }),
  ]
}
