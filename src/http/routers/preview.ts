import { jsonBytes, WEIGHT_OF_DOCUMENT } from '../../bytes/index.ts'
import { ignoredWarnings, unknownMembers } from '../../contract/unknown-members.ts'
import { deliverySchema } from '../../contract/webhook.ts'
import { preview } from '../../delivery/preview/preview.ts'
import { previewRequestSchema, previewSchema, previewView } from '../../delivery/preview/schema.ts'
import { BYTES_LOOKED_AT } from '../../delivery/preview/uploads.ts'
import { storedFileFinder } from '../../generation/storage/find-stored-file.ts'
import { loadSite } from '../../sites/health/load-site.ts'
import { siteUnknown } from '../../sites/registry.ts'
import { asRefusal } from '../../sites/verify-credentials.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { NO_ROOM } from '../room.ts'
import { answerWith, uuidInPath } from '../schemas.ts'
import type { Services } from '../services.ts'

/** Milliseconds that a preview waits for room: its caller waits too. */
const WAIT_MS = 5_000

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
      answers: { 200: { description: 'What a delivery would do.', schema: answerWith(previewSchema) } },
      failures: {
        404: 'No such site in this account.',
        503: NO_ROOM,
        422: 'The document cannot be read, or the site cannot be asked: `error.code` and the sentence say why.',
      },
      async handle({ caller: { accountId }, params: { uuid: id }, body }) {
        const { data, delivery } = body
        const site = { accountId, id }
        const found = await loadSite({ pool, keyring, outbound }, site)
        if (found === null) throw siteUnknown(site)
        const wanted = deliverySchema.parse({ ...delivery, id })
        const bytes = jsonBytes(data) * WEIGHT_OF_DOCUMENT + BYTES_LOOKED_AT
        const room = await budget.documents.take(bytes, { waitMs: WAIT_MS })
        try {
          const plan = await asRefusal(() => preview({ site: found.open(), sources }, { data, wanted }))
          const warnings = [...ignoredWarnings(unknownMembers(body)), ...plan.warnings]
          return { status: 200, body: { success: true, data: previewView({ ...plan, warnings }) } }
        } finally {
          room.release()
        }
      },
    }),
  ]
}
