import { z } from 'zod'
import { resumeLocked } from '../../delivery/ledger/resume.ts'
import { checkSite } from '../../sites/health/check-site.ts'
import { registerSite } from '../../sites/register.ts'
import { connectedSince, getSite } from '../../sites/registry.ts'
import { removeSite } from '../../sites/remove.ts'
import { newSiteSchema, sitePatchSchema, siteSchema } from '../../sites/schema.ts'
import { updateSite } from '../../sites/update.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { refuseOutOfSight } from '../limits.ts'
import { answerWith, createdWith, flag, removed, uuidInPath } from '../schemas.ts'
import type { Services } from '../services.ts'

const registration = z.strictObject({
  check: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true')
    .describe('Check the site at once; the report comes with the answer, and its problems do not block.'),
})

const removal = z.strictObject({
  revoke: flag.describe('Also end the application password, on the site itself.'),
})

const removedSite = removed.extend({
  message: z.string().describe('A sentence for whoever connects it again.'),
})

/** The connected sites. */
export function siteEndpoints({
  database: { prisma, pool },
  keyring,
  outbound,
}: Pick<Services, 'database' | 'keyring' | 'outbound'>): Endpoint[] {
  const registry = { prisma, keyring, outbound, resume: resumeLocked }
  const failures = { 404: 'No such site in this account.' }
  const refused =
    'A mistake in the request, or the site did not accept it: `error.code` and the sentence say why.'
  return [
    endpoint({
      method: 'post',
      path: '/v1/sites',
      operationId: 'connectSite',
      right: 'sites.change',
      action: 'site.connect',
      tag: 'Sites',
      summary: 'Connect a site',
      description: 'Finds its REST API and verifies the credentials; nothing is stored if that fails.',
      query: registration,
      body: newSiteSchema,
      idempotent: true,
      answers: { 201: { description: 'The connected site.', schema: createdWith(siteSchema) } },
      failures: {
        409: 'This account has a site under this id, or this site for this user (`details.site_id`, where the key sees it).',
        422: refused,
      },
      async handle({ caller, query, body, making }) {
        const { accountId, siteIds } = caller
        refuseOutOfSight(caller, body)
        const { id = making.id } = body
        const { againSince } = making
        const made = againSince && (await connectedSince(registry, { accountId, id }, againSince))
        if (!made) await registerSite(registry, { accountId, siteIds, ...body, id })
        if (query.check) await checkSite({ ...registry, pool }, { accountId, id })
        return { status: 201, body: { success: true, id, data: await getSite(registry, { accountId, id }) } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/sites/{uuid}',
      operationId: 'getSite',
      right: 'sites.read',
      tag: 'Sites',
      summary: 'Read a site',
      params: uuidInPath,
      answers: { 200: { description: 'The site.', schema: answerWith(siteSchema) } },
      failures,
      async handle({ caller: { accountId }, params }) {
        const data = await getSite(registry, { accountId, id: params.uuid })
        return { status: 200, body: { success: true, data } }
      },
    }),
    endpoint({
      method: 'patch',
      path: '/v1/sites/{uuid}',
      operationId: 'updateSite',
      right: 'sites.change',
      action: 'site.change',
      tag: 'Sites',
      summary: 'Change a site, or connect it again',
      description:
        'A new address or new credentials are verified first, and then start what waited for them.',
      params: uuidInPath,
      body: sitePatchSchema,
      answers: { 200: { description: 'The site.', schema: answerWith(siteSchema) } },
      failures: {
        ...failures,
        409: 'The site at this address is connected for this user already, or somebody else reconnected it meanwhile.',
        422: `${refused} PASSWORD_NEEDED: the REST API would be at another origin, and the stored password goes to none but its own.`,
      },
      async handle({ caller: { accountId, siteIds }, params: { uuid: id }, body }) {
        const data = await updateSite(registry, { accountId, siteIds, id }, body)
        return { status: 200, body: { success: true, data } }
      },
    }),
    endpoint({
      method: 'delete',
      path: '/v1/sites/{uuid}',
      operationId: 'removeSite',
      right: 'sites.change',
      action: 'site.remove',
      tag: 'Sites',
      summary: 'Remove a site; its posts stay',
      description:
        'What waits for it is held. Which document became which of its posts is known by its id: to connect it again, give that id. Under another one a post is known again by its slug, author and text alone, and where these have changed, or where it is a draft without a slug, a document that is sent again becomes a second post.',
      params: uuidInPath,
      query: removal,
      answers: { 200: { description: 'Removed.', schema: removedSite } },
      failures: {
        ...failures,
        409: 'The password cannot be revoked from here, or somebody else reconnected the site meanwhile.',
        422: refused,
      },
      async handle({ caller: { accountId }, params: { uuid: id }, query }) {
        const message = await removeSite(registry, { accountId, id }, query)
        return { status: 200, body: { success: true, id, message } }
      },
    }),
  ]
}
