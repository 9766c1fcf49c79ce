import { z } from 'zod'
import { loadSite } from '../../sites/health/load-site.ts'
import { siteUnknown } from '../../sites/registry.ts'
import { asRefusal } from '../../sites/verify-credentials.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { NO_ROOM } from '../room.ts'
import { answerWith, uuidInPath } from '../schemas.ts'
import type { Services } from '../services.ts'
import { stylesAddress } from '../styles-address.ts'

const siteStylesSchema = z
  .object({
    path: z
      .string()
      .describe('Where this Galley serves them as one style sheet, for an hour and without a key.'),
    left_out: z.array(z.string()).describe('Style sheets that could not be read.'),
  })
  .meta({ id: 'SiteStyles' })

/** What the posts of a site look like. */
export function siteStylesEndpoints({
  database: { pool },
  keyring,
  outbound,
  styles,
}: Pick<Services, 'database' | 'keyring' | 'outbound' | 'styles'>): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/v1/sites/{uuid}/styles',
      operationId: 'getSiteStyles',
      right: 'preview',
      tag: 'Sites',
      summary: 'Read what the posts of a site look like',
      description:
        'Its front page is asked for its style sheets, as any visitor would, and they are kept for some minutes. What they would load is left out: other style sheets, fonts, pictures.',
      params: uuidInPath,
      answers: { 200: { description: 'Where they are.', schema: answerWith(siteStylesSchema) } },
      failures: {
        404: 'No such site in this account.',
        422: 'The page cannot be read, or names no styles: `error.code` and the sentence say why.',
        503: NO_ROOM,
      },
      async handle({ caller: { accountId }, params: { uuid: id } }) {
        const site = { accountId, id }
        const found = await loadSite({ pool, keyring, outbound }, site)
        if (found === null) throw siteUnknown(site)
        const { leftOut } = await asRefusal(() => styles.of(found.open()))
        return {
          status: 200,
          body: { success: true, data: { path: stylesAddress(keyring, site), left_out: leftOut } },
        }
      },
    }),
  ]
}
