import { deliverySchema } from '../../contract/webhook.ts'
import { loadSite } from '../../delivery/load-site.ts'
import { preview } from '../../delivery/preview.ts'
import { standardTiming } from '../../delivery/timing.ts'
import { asRefusal } from '../../sites/prove.ts'
import { siteUnknown } from '../../sites/registry.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { previewRequestSchema, previewSchema, previewView } from '../preview-schema.ts'
import { answerWith, uuidInPath } from '../schemas.ts'
import type { Services } from '../services.ts'

/** What a document would become on a site. */
export function previewEndpoints({
  database: { prisma },
  keyring,
  outbound,
  config: { maxWebhookBytes },
}: Pick<Services, 'database' | 'keyring' | 'outbound' | 'config'>): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/v1/sites/{uuid}/preview',
      tag: 'Sites',
      summary: 'See what a document would become, with nothing written',
      description:
        'Takes a whole webhook, or its data and what of delivery counts. Pictures are fetched, not uploaded.',
      params: uuidInPath,
      body: previewRequestSchema,
      bodyLimit: maxWebhookBytes,
      answers: { 200: { description: 'What a delivery would do.', schema: answerWith(previewSchema) } },
      failures: {
        404: 'No such site in this account.',
        422: 'The document cannot be read, or the site cannot be asked: `error.code` and the sentence say why.',
      },
      async handle({ caller: { accountId }, params: { uuid: id }, body: { data, delivery } }) {
        const site = { accountId, id }
        const found = await loadSite({ prisma, keyring, outbound, timing: standardTiming }, site)
        if (found === null) throw siteUnknown(site)
        const wanted = deliverySchema.parse({ ...delivery, id })
        const plan = await asRefusal(() => preview({ site: found.open(), outbound }, { data, wanted }))
        return { status: 200, body: { success: true, data: previewView(plan) } }
      },
    }),
  ]
}
