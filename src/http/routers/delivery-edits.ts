import { findLeftPost, readLeftText } from '../../delivery/api/edits.ts'
import { editsSchema } from '../../delivery/api/schema.ts'
import { currentText } from '../../delivery/conflicts/current-text.ts'
import { loadSite } from '../../sites/health/load-site.ts'
import { siteUnknown } from '../../sites/registry.ts'
import { asRefusal } from '../../sites/verify-credentials.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { NO_ROOM } from '../room.ts'
import { answerWith, uuidInPath } from '../schemas.ts'
import type { Services } from '../services.ts'

/** Milliseconds that somebody who reads the texts waits for room. */
const WAIT_MS = 5_000

/** Bytes that one byte of a remembered text takes, with that of the site beside it. */
const WEIGHT_OF_TEXT = 8

/** What somebody has changed of a post since Galley wrote it. */
export function deliveryEditsEndpoints({
  database: { pool },
  keyring,
  outbound,
  budget,
}: Pick<Services, 'database' | 'keyring' | 'outbound' | 'budget'>): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/v1/deliveries/{uuid}/edits',
      operationId: 'getDeliveryEdits',
      right: 'deliveries.read',
      tag: 'Deliveries',
      summary: 'Read what somebody has changed of the post: both texts',
      description: 'The site is asked for the post as it is now; nothing is written.',
      params: uuidInPath,
      answers: { 200: { description: 'Both texts.', schema: answerWith(editsSchema) } },
      failures: {
        404: 'No such delivery in this account, or its site is not connected.',
        409: 'It has no post yet.',
        422: 'The site cannot be asked: `error.code` and the sentence say why.',
        503: NO_ROOM,
      },
      async handle({ caller, params: { uuid: id }, gone: signal }) {
        const { accountId } = caller
        const { siteId, postId, postType, bytes } = await findLeftPost({ pool }, { ...caller, id })
        const found = await loadSite({ pool, keyring, outbound }, { accountId, id: siteId })
        if (found === null) throw siteUnknown({ accountId, id: siteId })
        const share = await budget.events.take(bytes * WEIGHT_OF_TEXT, { waitMs: WAIT_MS, signal })
        try {
          const { client } = found.open()
          const site = await asRefusal(() => currentText(client, { postType, postId }))
          const galley = await readLeftText({ pool }, { ...caller, id })
          return { status: 200, body: { success: true, data: { galley, site } }, share }
        } catch (error) {
          share.release()
          throw error
        }
      },
    }),
  ]
}
