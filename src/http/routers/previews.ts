import { z } from 'zod'
import { DOCUMENT_MEMORY_FACTOR, estimateJsonBytes } from '../../bytes/index.ts'
import { uuid } from '../../contract/scalars.ts'
import { toWarnings, unknownMembers } from '../../contract/unknown-members.ts'
import { deliverySchema } from '../../contract/webhook.ts'
import { type PreviewRow, previewMatrix } from '../../delivery/preview/matrix.ts'
import { preview, previewRequestSchema, previewSchema, previewView } from '../../delivery/preview/preview.ts'
import { MAX_INSPECTED_BYTES } from '../../delivery/preview/uploads.ts'
import { apiCode, apiCodeSchema } from '../../errors.ts'
import { storedFileFinder } from '../../generation/storage/storage.ts'
import { loadSite } from '../../sites/health/load-site.ts'
import { siteUnknown } from '../../sites/registry.ts'
import { asCredentialError } from '../../sites/verify-credentials.ts'
import { parseWebhook } from '../../webhook/parse.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { MEMORY_BUSY_DESCRIPTION } from '../request-body.ts'
import type { Services } from '../services.ts'
import { resolveSiteChoice, siteChoiceShape } from '../site-access.ts'
import { dataResponse, invalidRequest, uuidInPath } from '../validation.ts'

/** Milliseconds that a preview waits for room: its caller waits too. */
const PREVIEW_MEMORY_WAIT_MS = 5_000

/** What a document would become on a site. */
export function previewEndpoints({
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
      path: '/v1/sites/{uuid}/preview',
      operationId: 'previewDocument',
      right: 'preview',
      action: 'none',
      tag: 'Sites',
      summary: 'See what a document would become, with nothing written',
      description:
        'Takes a whole webhook, or its data and the parts of delivery that matter. Pictures are fetched, not uploaded.',
      params: uuidInPath,
      body: previewRequestSchema,
      bodyLimit: maxWebhookBytes,
      answers: { 200: { description: 'What a delivery would do.', schema: dataResponse(previewSchema) } },
      failures: {
        404: 'No such site in this account.',
        503: MEMORY_BUSY_DESCRIPTION,
        422: 'The document cannot be read, or the site cannot be asked: `error.code` and the sentence say why.',
      },
      async handle({ caller: { accountId }, params: { uuid: id }, body }) {
        const { data, delivery } = body
        const site = { accountId, id }
        const found = await loadSite({ pool, keyring, outbound }, site)
        if (found === null) throw siteUnknown(site)
        const wanted = deliverySchema.parse({ ...delivery, id })
        const bytes = estimateJsonBytes(data) * DOCUMENT_MEMORY_FACTOR + MAX_INSPECTED_BYTES
        const room = await budget.documents.take(bytes, { waitMs: PREVIEW_MEMORY_WAIT_MS })
        try {
          const plan = await asCredentialError(() =>
            preview({ site: found.open(), sources }, { data, wanted }),
          )
          const warnings = [...toWarnings(unknownMembers(body)), ...plan.warnings]
          return { status: 200, body: { success: true, data: previewView({ ...plan, warnings }) } }
        } finally {
          room.release()
        }
      },
    }),
  ]
}

/** Sites of one request. */
const MAX_PREVIEW_SITES = 100

/** Milliseconds that the preview of a site waits for room. */
const MATRIX_MEMORY_WAIT_MS = 5_000

const previewShape = previewSchema.shape

const matrixRowSchema = z
  .object({
    site_id: uuid,
    outcome: z
      .enum(['delivered', 'held', 'unanswered', 'not_asked'])
      .describe(
        'held: it would wait for a person. unanswered: the site could not be asked, or not in time. not_asked: the time was over; ask for these once more.',
      ),
    error: z.object({ code: apiCodeSchema, message: z.string() }).nullable(),
    status: previewShape.post.shape.status.nullable(),
    terms: previewShape.terms.describe('What it would find, create and leave out.'),
    uploads: z.int().describe('Files that would come into its library.'),
    warnings: previewShape.warnings.describe('What it would lose, or change.'),
  })
  .meta({ id: 'MatrixRow' })

const matrixBody = z.strictObject({
  data: previewRequestSchema.shape.data,
  delivery: previewRequestSchema.shape.delivery,
  ...siteChoiceShape(MAX_PREVIEW_SITES),
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
      description: `At most ${MAX_PREVIEW_SITES} sites, each by itself: one that fails or is slow does not affect the others. Each picture is fetched once.`,
      body: matrixBody,
      bodyLimit: maxWebhookBytes,
      answers: {
        200: {
          description: 'A row for each site.',
          schema: z.object({ success: z.literal(true), data: z.array(matrixRowSchema) }),
        },
      },
      failures: { 422: 'The document cannot be used on any site: `details` names each mistake.' },
      async handle({ caller, body: { data, delivery, all, ...choice }, gone }) {
        if (all === undefined && choice.site_ids === undefined && choice.labels === undefined)
          throw invalidRequest([
            { path: 'body', message: 'names no site: give "site_ids", "labels" or "all"' },
          ])
        const siteIds = await resolveSiteChoice(pool, caller, choice, MAX_PREVIEW_SITES)
        const webhook = { event: 'document.completed', id: siteIds[0], data }
        const read = parseWebhook(webhook)
        if (!read.ok)
          throw invalidRequest(read.issues.map(({ path, message }) => ({ path: `body.${path}`, message })))
        const bytes = estimateJsonBytes(data) * DOCUMENT_MEMORY_FACTOR + MAX_INSPECTED_BYTES
        const rows = await previewMatrix({
          ...{ siteIds, data, sources, gone },
          wanted: (id) => deliverySchema.parse({ ...delivery, id }),
          async open(id) {
            const found = await loadSite({ pool, keyring, outbound }, { accountId: caller.accountId, id })
            return found?.open() ?? null
          },
          async room() {
            const room = await budget.documents.take(bytes, { waitMs: MATRIX_MEMORY_WAIT_MS })
            return () => room.release()
          },
        })
        return { status: 200, body: { success: true, data: rows.map(matrixRowView) } }
      },
    }),
  ]
}

function matrixRowView(row: PreviewRow): z.output<typeof matrixRowSchema> {
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
