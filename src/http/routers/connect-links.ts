import { listVisible } from '../../accounts/visibility.ts'
import {
  createConnectLink,
  getConnectLink,
  readConnectLinks,
  revokeConnectLink,
} from '../../connect/links.ts'
import { mailOwner } from '../../connect/owner-mail.ts'
import {
  connectLinkFilterSchema,
  connectLinkSchema,
  connectLinkWithAddressSchema,
  newConnectLinkSchema,
} from '../../connect/schema.ts'
import { idTaken } from '../../sites/register.ts'
import { hasSite } from '../../sites/registry.ts'
import { answers, type Endpoint, endpoint, pageQuery } from '../endpoint.ts'
import type { Services } from '../services.ts'
import { refuseInvisibleLabels } from '../site-access.ts'

/** Links by which the owner of a site connects it, without handing anybody a password. */
export function connectLinkEndpoints(services: Services): Endpoint[] {
  const { database, outbound, config, mail } = services
  const { prisma, pool } = database
  const { publicUrl } = config
  return [
    endpoint('POST /v1/connect-links', {
      operationId: 'createConnectLink',
      right: 'sites.change',
      action: 'connect_link.create',
      summary: "Create a link for a site's owner to connect it with",
      description:
        "The owner opens it, approves on WordPress's own page, and is back with the site connected. It works once.",
      body: newConnectLinkSchema,
      idempotent: true,
      answer: answers.created('The link, its address shown only once.', connectLinkWithAddressSchema),
      failures: {
        409: 'SITE_ID_TAKEN: a site is connected under this id already.',
        422: 'A mistake in the request, or no WordPress at the address.',
      },
      async handle({ caller, body, making: { id: linkId, againSince } }) {
        const { accountId } = caller
        const { id } = body
        // One that is connected and seen is connected again.
        const seen = id !== undefined && caller.siteIds?.includes(id)
        if (!seen) refuseInvisibleLabels(caller, body)
        if (id !== undefined && caller.siteIds && !seen && (await hasSite({ prisma }, { accountId, id })))
          throw idTaken(id)
        if (againSince) await prisma.connectLink.deleteMany({ where: { id: linkId, accountId } })
        const { mail_owner, ...asked } = body
        // Under an id of its own, it cannot take over a connected site that the key does not see.
        const requested = caller.siteIds === null ? asked : { id: linkId, ...asked }
        const made = await createConnectLink(
          { prisma, outbound, publicUrl },
          { accountId, linkId, ...requested },
        )
        return {
          ...made,
          mailed: mail_owner ? await mailOwner({ prisma, pool, mail }, accountId, requested, made) : null,
        }
      },
    }),
    endpoint('GET /v1/connect-links', {
      operationId: 'listConnectLinks',
      right: 'sites.read',
      summary: 'List the connect links, the newest first',
      query: pageQuery.extend(connectLinkFilterSchema.shape),
      answer: answers.page(
        'A page of links, used and ended ones too where no status is named.',
        connectLinkSchema,
      ),
      handle: ({ caller, query }) =>
        listVisible(pool, caller, 'connect_link', query, (ids) =>
          readConnectLinks(prisma, caller.accountId, ids),
        ),
    }),
    endpoint('GET /v1/connect-links/{uuid}', {
      operationId: 'getConnectLink',
      right: 'sites.read',
      summary: 'Read a connect link',
      answer: answers.data('The link.', connectLinkSchema),
      handle: ({ caller: { accountId }, params }) => getConnectLink(prisma, { accountId, id: params.uuid }),
    }),
    endpoint('DELETE /v1/connect-links/{uuid}', {
      operationId: 'revokeConnectLink',
      right: 'sites.change',
      action: 'connect_link.revoke',
      summary: 'Withdraw a connect link',
      description: 'A site that was connected with it stays connected.',
      answer: answers.data('The link, withdrawn at once.', connectLinkSchema),
      handle: ({ caller: { accountId }, params }) =>
        revokeConnectLink(prisma, { accountId, id: params.uuid }),
    }),
  ]
}
