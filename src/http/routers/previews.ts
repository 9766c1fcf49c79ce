import { z } from 'zod'
import { DOCUMENT_MEMORY_FACTOR, estimateJsonBytes } from '../../bytes/budget.ts'
import type { Issue } from '../../contract/issues.ts'
import { readWebhook, toWarnings, unknownMembers } from '../../contract/webhook.ts'
import { previewMatrix } from '../../delivery/preview/matrix.ts'
import { preview } from '../../delivery/preview/preview.ts'
import { matrixRowSchema, previewRequestSchema, previewSchema } from '../../delivery/preview/schema.ts'
import { MAX_INSPECTED_BYTES } from '../../delivery/preview/uploads.ts'
import { storedFileFinder } from '../../generation/storage/storage.ts'
import { loadSite, requireSite } from '../../sites/health/load-site.ts'
import { asCredentialError } from '../../sites/verify-credentials.ts'
import { fillFromSource } from '../../sources/sources.ts'
import { withSeverity } from '../../warnings.ts'
import { answers, type Endpoint, endpoint, invalidRequest } from '../endpoint.ts'
import { MEMORY_BUSY_DESCRIPTION, MEMORY_WAIT_MS } from '../request-body.ts'
import type { Services } from '../services.ts'
import { resolveSiteChoice, siteChoiceShape } from '../site-access.ts'

export function previewEndpoints({
  database,
  keyring,
  outbound,
  budget,
  storage,
  config,
}: Services): Endpoint[] {
  const { pool } = database
  const { maxWebhookBytes } = config
  const { files } = budget
  const sources = { outbound, findStored: storedFileFinder(storage, files), files }
  return [
    endpoint('POST /v1/sites/{uuid}/preview', {
      operationId: 'previewDocument',
      right: 'preview',
      action: 'none',
      summary: 'See what a document would become, with nothing written',
      description:
        'Takes a whole webhook, or its data and the parts of delivery that matter. Pictures are fetched, not uploaded.',
      body: previewRequestSchema,
      bodyLimit: maxWebhookBytes,
      answer: answers.data('What a delivery would do.', previewSchema),
      failures: {
        503: MEMORY_BUSY_DESCRIPTION,
        422: 'The document cannot be read, or the site cannot be asked: `error.code` and the sentence say why.',
      },
      async handle({ caller: { accountId }, params: { uuid: id }, body }) {
        const { data, source_id: sourceId } = body
        const { delivery, limited } = await fillFromSource(pool, { accountId, sourceId }, body.delivery ?? {})
        const site = await requireSite({ pool, keyring, outbound }, { accountId, id })
        const bytes = estimateJsonBytes(data) * DOCUMENT_MEMORY_FACTOR + MAX_INSPECTED_BYTES
        const room = await budget.documents.take(bytes, { waitMs: MEMORY_WAIT_MS })
        try {
          const { ignored, ...sent } = await readSent({ data, delivery }, id, () => unknownMembers(body))
          const plan = await asCredentialError(() => preview({ site: site.open(), sources }, sent))
          return {
            ...plan,
            warnings: [...withSeverity([...toWarnings(ignored), ...limited]), ...plan.warnings],
          }
        } finally {
          room.release()
        }
      },
    }),
    endpoint('POST /v1/preview/matrix', {
      operationId: 'previewMatrix',
      right: 'preview',
      action: 'none',
      summary: 'See what a document would become on many sites, with nothing written',
      description: `At most ${MAX_PREVIEW_SITES} sites, each by itself: one that fails or is slow does not affect the others. Each picture is fetched once.`,
      body: matrixBody,
      bodyLimit: maxWebhookBytes,
      answer: answers.data('A row for each site.', z.array(matrixRowSchema)),
      failures: { 422: 'The document cannot be used on any site: `details` names each mistake.' },
      async handle({ caller, body: { data, delivery: said, source_id: sourceId, all, ...choice }, gone }) {
        if (all === undefined && choice.site_ids === undefined && choice.labels === undefined)
          throw invalidRequest([
            { path: 'body', message: 'names no site: give "site_ids", "labels" or "all"' },
          ])
        const siteIds = await resolveSiteChoice(pool, caller, choice, MAX_PREVIEW_SITES)
        const findIgnored = () => unknownMembers({ data, delivery: said }, 'site_ids')
        const source = { accountId: caller.accountId, sourceId }
        const { delivery, limited } = await fillFromSource(pool, source, said ?? {})
        const { read, wanted, ignored } = await readSent({ data, delivery }, siteIds[0], findIgnored)
        const bytes = estimateJsonBytes(data) * DOCUMENT_MEMORY_FACTOR + MAX_INSPECTED_BYTES
        const rows = await previewMatrix({
          ...{ siteIds, read, sources, gone },
          wanted: (id) => ({ ...wanted, id }),
          async open(id) {
            const found = await loadSite({ pool, keyring, outbound }, { accountId: caller.accountId, id })
            return found?.open() ?? null
          },
          async room() {
            const room = await budget.documents.take(bytes, { waitMs: MEMORY_WAIT_MS })
            return () => room.release()
          },
        })
        const unread = withSeverity([...toWarnings(ignored), ...limited])
        return rows.map((row) => ({ ...row, warnings: [...unread, ...row.warnings] }))
      },
    }),
  ]
}

const MAX_PREVIEW_SITES = 100

const matrixBody = z.strictObject({
  data: previewRequestSchema.shape.data,
  delivery: previewRequestSchema.shape.delivery,
  source_id: previewRequestSchema.shape.source_id,
  ...siteChoiceShape(MAX_PREVIEW_SITES),
  all: z.literal(true).optional().describe('All sites.'),
})

/** Reads a document as its webhook would be. @throws GalleyError 422, with its mistakes */
async function readSent(
  { data, delivery }: { data: unknown; delivery: object },
  siteId: string | undefined,
  findIgnored: () => Issue[],
) {
  const webhook = { event: 'document.completed', id: siteId, data, delivery: { ...delivery, id: siteId } }
  const read = await readWebhook(webhook, { findIgnored })
  if (!read.ok)
    throw (
      read.error ??
      invalidRequest(read.issues.map(({ path, message }) => ({ path: `body.${path}`, message })))
    )
  const { event, normalised, unreadable, ignored } = read
  if (event.event !== 'document.completed' || event.delivery === undefined || normalised === undefined)
    throw new TypeError('a document was read as another event')
  return { read: { normalised, unreadable, sent: webhook }, wanted: event.delivery, ignored }
}
