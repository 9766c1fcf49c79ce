import type { Caller } from '../../accounts/authenticate.ts'
import { pauseByHand, resumeByHand } from '../../delivery/ledger/pause-by-hand.ts'
import { getSite, siteUnknown } from '../../sites/registry.ts'
import { sitePauseSchema, siteSchema } from '../../sites/schema.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { answerWith, uuidInPath } from '../schemas.ts'
import type { Services } from '../services.ts'

/** Sites that a person pauses, whatever their health. */
export function sitePauseEndpoints({ database }: Pick<Services, 'database'>): Endpoint[] {
  const { prisma, pool } = database
  const failures = { 404: 'No such site in this account.' }
  /** The site as it then stands. */
  const changed = async (
    { accountId, siteIds }: Caller,
    id: string,
    change: (site: { accountId: string; id: string }) => Promise<boolean>,
  ) => {
    const site = { accountId, id }
    const seen = siteIds === null || siteIds.includes(id)
    if (!seen || !(await change(site))) throw siteUnknown(site)
    return { status: 200, body: { success: true, data: await getSite({ prisma }, site) } }
  }
  return [
    endpoint({
      method: 'post',
      path: '/v1/sites/{uuid}/pause',
      operationId: 'pauseSite',
      right: 'sites.change',
      action: 'site.pause',
      tag: 'Sites',
      summary: 'Pause a site by hand',
      description:
        'Nothing more is sent to it; what is under way comes to its end. Webhooks are taken, and their deliveries wait until the site is resumed, whatever its health.',
      params: uuidInPath,
      body: sitePauseSchema,
      answers: { 200: { description: 'The site, stopped.', schema: answerWith(siteSchema) } },
      failures,
      handle: ({ caller, params: { uuid }, body: { reason = null } }) =>
        changed(caller, uuid, (site) => pauseByHand(pool, site, reason)),
    }),
    endpoint({
      method: 'post',
      path: '/v1/sites/{uuid}/resume',
      operationId: 'resumeSite',
      right: 'sites.change',
      action: 'site.resume',
      tag: 'Sites',
      summary: 'Resume a site that was paused by hand',
      description: 'What was waiting starts at once. A site that is in trouble stays so.',
      params: uuidInPath,
      answers: { 200: { description: 'The site.', schema: answerWith(siteSchema) } },
      failures,
      handle: ({ caller, params: { uuid } }) => changed(caller, uuid, (site) => resumeByHand(pool, site)),
    }),
  ]
}
