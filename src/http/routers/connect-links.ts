import { visibleIds } from '../../accounts/visibility.ts'
import {
  createConnectLink,
  getConnectLink,
  listConnectLinks,
  revokeConnectLink,
} from '../../connect/links.ts'
import {
  connectLinkFilterSchema,
  connectLinkSchema,
  connectLinkWithAddressSchema,
  newConnectLinkSchema,
} from '../../connect/schema.ts'
import { idTaken } from '../../sites/register.ts'
import { hasSite } from '../../sites/registry.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import type { Services } from '../services.ts'
import { refuseInvisibleLabels } from '../site-access.ts'
import { createdResponse, dataResponse, listResponse, pageQuery, uuidInPath } from '../validation.ts'

/** Links by which the owner of a site connects it, without handing anybody a password. */
export function connectLinkEndpoints({
  database: { prisma, pool },
  outbound,
  config: { publicUrl },
}: Pick<Services, 'database' | 'outbound' | 'config'>): Endpoint[] {
  const failures = { 404: 'No such connect link in this account.' }
  return [
    endpoint({
      method: 'post',
      path: '/v1/connect-links',
      operationId: 'createConnectLink',
      right: 'sites.change',
      action: 'connect_link.create',
      tag: 'Connect links',
      summary: "Create a link for a site's owner to connect it with",
      description:
        "The owner opens it, approves on WordPress's own page, and is back with the site connected. It works once.",
      body: newConnectLinkSchema,
      idempotent: true,
      answers: {
        201: {
          description: 'The link, its address shown only once.',
          schema: createdResponse(connectLinkWithAddressSchema),
        },
      },
      failures: {
        409: 'A site is connected under this id already.',
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
        // Its address was shown to nobody.
        if (againSince) await prisma.connectLink.deleteMany({ where: { id: linkId, accountId } })
        const data = await createConnectLink({ prisma, outbound, publicUrl }, { accountId, linkId, ...body })
        return { status: 201, body: { success: true, id: data.id, data } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/connect-links',
      operationId: 'listConnectLinks',
      right: 'sites.read',
      tag: 'Connect links',
      summary: 'List the connect links, the newest first',
      query: pageQuery.extend(connectLinkFilterSchema.shape),
      answers: {
        200: {
          description: 'A page of links, used and ended ones too where no status is named.',
          schema: listResponse(connectLinkSchema),
        },
      },
      async handle({ caller, query }) {
        const { accountId } = caller
        const { status: link_statuses } = query
        const ids = await visibleIds(pool, caller, 'connect_link', query, { link_statuses })
        const { items, nextCursor } = await listConnectLinks(prisma, { accountId, ids, ...query })
        return { status: 200, body: { success: true, data: items, next_cursor: nextCursor } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/connect-links/{uuid}',
      operationId: 'getConnectLink',
      right: 'sites.read',
      tag: 'Connect links',
      summary: 'Read a connect link',
      params: uuidInPath,
      answers: { 200: { description: 'The link.', schema: dataResponse(connectLinkSchema) } },
      failures,
      async handle({ caller: { accountId }, params }) {
        const data = await getConnectLink(prisma, { accountId, id: params.uuid })
        return { status: 200, body: { success: true, data } }
      },
    }),
    endpoint({
      method: 'delete',
      path: '/v1/connect-links/{uuid}',
      operationId: 'revokeConnectLink',
      right: 'sites.change',
      action: 'connect_link.revoke',
      tag: 'Connect links',
      summary: 'Withdraw a connect link',
      description: 'A site that was connected with it stays connected.',
      params: uuidInPath,
      answers: {
        200: { description: 'The link, withdrawn at once.', schema: dataResponse(connectLinkSchema) },
      },
      failures,
      async handle({ caller: { accountId }, params }) {
        const data = await revokeConnectLink(prisma, { accountId, id: params.uuid })
        return { status: 200, body: { success: true, data } }
      },
    }),
  ]
}
