import { z } from 'zod'
import { uuid } from '../../contract/wire.ts'
import { resumeLocked } from '../../delivery/ledger/resume.ts'
import { startCheck } from '../../sites/health/checks.ts'
import { importedLineSchema, importSites } from '../../sites/import.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { refuseOutOfSight } from '../limits.ts'
import { flag } from '../schemas.ts'
import type { Services } from '../services.ts'

const answer = z.object({
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
      query: z.strictObject({ dry_run: flag.describe('Try every line on its site, and store nothing.') }),
      body: z.string().describe('The file.'),
      bodyType: 'text/csv',
      answers: { 200: { description: 'What became of each line, in their order.', schema: answer } },
      failures: { 415: 'The body is not text/csv.', 422: 'The file as a whole cannot be read.' },
      async handle({ caller, query: { dry_run: dryRun }, body, gone }) {
        const { accountId, siteIds: seen } = caller
        const refuse = (site: { labels: string[] }) => refuseOutOfSight(caller, site)
        const importer = { prisma, keyring, outbound, log, resume: resumeLocked }
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
