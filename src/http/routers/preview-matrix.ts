import { z } from 'zod'
import { apiCode, apiCodeSchema } from '../../api-code.ts'
import { jsonBytes, WEIGHT_OF_DOCUMENT } from '../../bytes/index.ts'
import { deliverySchema, parseWebhook } from '../../contract/webhook.ts'
import { uuid } from '../../contract/wire.ts'
import { matrix, type Row } from '../../delivery/preview/matrix.ts'
import { previewRequestSchema, previewSchema, previewView } from '../../delivery/preview/schema.ts'
import { BYTES_LOOKED_AT } from '../../delivery/preview/uploads.ts'
import { storedFileFinder } from '../../generation/storage/find-stored-file.ts'
import { loadSite } from '../../sites/health/load-site.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import type { Services } from '../services.ts'
import { invalidRequest } from '../validation.ts'
import { choiceOf, readChoice } from './choice.ts'

/** Sites of one request. */
const MOST_SITES = 100

/** Milliseconds that the preview of a site waits for room. */
const WAIT_MS = 5_000

const shape = previewSchema.shape

const rowSchema = z
  .object({
    site_id: uuid,
    outcome: z
      .enum(['delivered', 'held', 'unanswered', 'not_asked'])
      .describe(
        'held: it would wait for a person. unanswered: the site could not be asked, or not in time. not_asked: the time was over; ask for these once more.',
      ),
    error: z.object({ code: apiCodeSchema, message: z.string() }).nullable(),
    status: shape.post.shape.status.nullable(),
    terms: shape.terms.describe('What it would find, create and leave out.'),
    uploads: z.int().describe('Files that would come into its library.'),
    warnings: shape.warnings.describe('What it would lose, or change.'),
  })
  .meta({ id: 'MatrixRow' })

const body = z.strictObject({
  data: previewRequestSchema.shape.data,
  delivery: previewRequestSchema.shape.delivery,
  ...choiceOf(MOST_SITES),
  all: z.literal(true).optional().describe('All sites.'),
})

/** What one document would become on many sites. */
export function previewMatrixEndpoints({
  database: { pool },
  keyring,
  outbound,
  budget,
  storage,
  config: { maxWebhookBytes },
}: Pick<Services, 'database' | 'keyring' | 'outbound' | 'budget' | 'storage' | 'config'>): Endpoint[] {
  const sources = { outbound, findStored: storedFileFinder(storage, budget.files) }
  return [
    endpoint({
      method: 'post',
      path: '/v1/preview/matrix',
      operationId: 'previewMatrix',
      right: 'preview',
      action: 'none',
      tag: 'Sites',
      summary: 'See what a document would become on many sites, with nothing written',
      description: `At most ${MOST_SITES} sites, each by itself: one that fails or is slow does not affect the others. Each picture is fetched once.`,
      body,
      bodyLimit: maxWebhookBytes,
      answers: {
        200: {
          description: 'A row for each site.',
          schema: z.object({ success: z.literal(true), data: z.array(rowSchema) }),
        },
      },
      failures: { 422: 'The document cannot be used on any site: `details` names each mistake.' },
      async handle({ caller, body: { data, delivery, all, ...choice }, gone }) {
        if (all === undefined && choice.site_ids === undefined && choice.labels === undefined)
          throw invalidRequest([
            { path: 'body', message: 'names no site: give "site_ids", "labels" or "all"' },
          ])
        const siteIds = await readChoice(pool, caller, choice, MOST_SITES)
        const webhook = { event: 'document.completed', id: siteIds[0], data }
        const read = parseWebhook(webhook)
        if (!read.ok)
          throw invalidRequest(read.issues.map(({ path, message }) => ({ path: `body.${path}`, message })))
        const bytes = jsonBytes(data) * WEIGHT_OF_DOCUMENT + BYTES_LOOKED_AT
        const rows = await matrix({
          ...{ siteIds, data, sources, gone },
          wanted: (id) => deliverySchema.parse({ ...delivery, id }),
          async open(id) {
            const found = await loadSite({ pool, keyring, outbound }, { accountId: caller.accountId, id })
            return found?.open() ?? null
          },
          async room() {
            const room = await budget.documents.take(bytes, { waitMs: WAIT_MS })
            return () => room.release()
          },
        })
        return { status: 200, body: { success: true, data: rows.map(viewOf) } }
      },
    }),
  ]
}

function viewOf(row: Row): z.output<typeof rowSchema> {
  const nothing = { error: null, status: null, terms: [], uploads: 0, warnings: [] }
  if (row.outcome === 'not_asked') return { ...nothing, site_id: row.siteId, outcome: row.outcome }
  if (row.outcome === 'unanswered') {
    const error = { code: apiCode(row.error.code), message: row.error.message }
    return { ...nothing, site_id: row.siteId, outcome: row.outcome, error }
  }
  const { outcome, error, post, terms, uploads, warnings } = previewView(row.preview)
  return {
    site_id: row.siteId,
    outcome,
    error: error && { code: apiCode(error.code), message: error.message },
    status: post.status,
    terms,
    uploads: uploads.length,
    warnings,
  }
}
