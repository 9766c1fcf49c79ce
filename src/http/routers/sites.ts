import { z } from 'zod'
import type { Caller } from '../../accounts/authenticate.ts'
import { singleLineText } from '../../contract/scalars.ts'
import { deliverySummaryBySite, type SiteDeliverySummary } from '../../delivery/api/counts.ts'
import { siteSummaryShape } from '../../delivery/api/schema.ts'
import {
  pauseSiteManually,
  resumeLockedSite,
  resumeSiteManually,
} from '../../delivery/ledger/pause-and-resume.ts'
import type { Page } from '../../lib/paging.ts'
import { checkSite } from '../../sites/health/check-site.ts'
import { loadSite } from '../../sites/health/load-site.ts'
import { type SiteReport, siteReportSchema } from '../../sites/health/report.ts'
import {
  countSites,
  labelSchema,
  listLabels,
  listSites,
  type SiteListRequest,
  siteFilterSchema,
  siteSortSchema,
} from '../../sites/list.ts'
import { registerSite } from '../../sites/register.ts'
import { getSite, isConnectedSince, siteUnknown } from '../../sites/registry.ts'
import {
  newSiteSchema,
  type SiteView,
  sitePatchSchema,
  sitePauseSchema,
  siteSchema,
} from '../../sites/schema.ts'
import { removeSite, updateSite } from '../../sites/update.ts'
import { readChoices, siteChoicesSchema } from '../../sites/validate-settings.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import type { Services } from '../services.ts'
import { refuseInvisibleLabels } from '../site-access.ts'
import { EXPORT_TYPES, everyPage, exportFormat } from '../streaming.ts'
import {
  booleanFlag,
  createdResponse,
  dataResponse,
  listResponse,
  pageQuery,
  removedResponse,
  uuidInPath,
} from '../validation.ts'

const registrationBody = z.strictObject({
  check: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true')
    .describe('Check the site at once; the report comes with the answer, and its problems do not block.'),
})

const removalQuery = z.strictObject({
  revoke: booleanFlag.describe('Also end the application password, on the site itself.'),
})

const removedSite = removedResponse.extend({
  message: z.string().describe('A sentence for whoever connects it again.'),
})

/** The connected sites. */
export function siteEndpoints({
  database: { prisma, pool },
  keyring,
  outbound,
}: Pick<Services, 'database' | 'keyring' | 'outbound'>): Endpoint[] {
  const registry = { prisma, keyring, outbound, resume: resumeLockedSite }
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
      query: registrationBody,
      body: newSiteSchema,
      idempotent: true,
      answers: { 201: { description: 'The connected site.', schema: createdResponse(siteSchema) } },
      failures: {
        409: 'This account has a site under this id, or this site for this user (`details.site_id`, where the key sees it).',
        422: refused,
      },
      async handle({ caller, query, body, making }) {
        const { accountId, siteIds } = caller
        refuseInvisibleLabels(caller, body)
        const { id = making.id } = body
        const { againSince } = making
        const made = againSince && (await isConnectedSince(registry, { accountId, id }, againSince))
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
      answers: { 200: { description: 'The site.', schema: dataResponse(siteSchema) } },
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
      answers: { 200: { description: 'The site.', schema: dataResponse(siteSchema) } },
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
      query: removalQuery,
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

const siteListQuery = siteFilterSchema.extend({
  ...pageQuery.shape,
  sort: siteSortSchema.optional(),
  cursor: singleLineText(5_000).optional().describe('`next_cursor` of the page before.'),
  total: booleanFlag.describe('Also count everything that matches.'),
})

/** A site as the list shows it, with what it has on its way. */
const listedSiteSchema = siteSchema
  .extend({
    ...siteSummaryShape,
    worst_finding: siteReportSchema.shape.findings.element
      .nullable()
      .describe('Of the last report; null where nothing is wrong, or nobody has looked.'),
  })
  .meta({ id: 'ListedSite' })

type ListedSite = SiteView & SiteDeliverySummary & { worst_finding: SiteReport['findings'][number] | null }

/** The connected sites, as many look at them at once. Before the calls that name one: `labels` is no id. */
export function siteListEndpoints({ database }: Pick<Services, 'database'>): Endpoint[] {
  const list = async (caller: Caller, request: SiteListRequest): Promise<Page<ListedSite>> => {
    const { items, nextCursor } = await listSites(database, caller, request)
    const ids = items.map(({ id }) => id)
    const beside = await deliverySummaryBySite(database.pool, caller.accountId, ids)
    const listed = items.flatMap((site) => {
      const ofSite = beside.get(site.id)
      return ofSite === undefined ? [] : [{ ...site, ...ofSite, worst_finding: worstFinding(site.report) }]
    })
    return { items: listed, nextCursor }
  }
  return [
    endpoint({
      method: 'get',
      path: '/v1/sites',
      operationId: 'listSites',
      right: 'sites.read',
      tag: 'Sites',
      summary: 'List the sites that match',
      query: siteListQuery,
      answers: {
        200: {
          description: 'A page of sites.',
          schema: listResponse(listedSiteSchema).extend({
            total: z.int().optional().describe('With `total=true`: how many match.'),
          }),
        },
      },
      failures: { 422: 'A mistake in the request, or a cursor of another order.' },
      async handle({ caller, query: { limit, cursor, sort, total, ...filter } }) {
        const { items, nextCursor } = await list(caller, { filter, sort, limit, cursor })
        const counted = total ? { total: await countSites(database, caller, filter) } : {}
        return { status: 200, body: { success: true, data: items, next_cursor: nextCursor, ...counted } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/sites/labels',
      operationId: 'listLabels',
      right: 'sites.read',
      tag: 'Sites',
      summary: 'List the labels that sites have',
      answers: {
        200: {
          description: 'Each with how many sites have it, the most used first.',
          schema: dataResponse(z.array(labelSchema)).extend({
            more: z.boolean().describe('There are so many that only the most used are listed.'),
          }),
        },
      },
      async handle({ caller }) {
        const { labels, more } = await listLabels(database, caller)
        return { status: 200, body: { success: true, data: labels, more } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/sites/export',
      operationId: 'exportSites',
      right: 'sites.read',
      tag: 'Sites',
      summary: 'Export the sites that match, by id',
      description: 'Their credentials are not among it.',
      query: siteFilterSchema.extend({ format: exportFormat }),
      answers: {
        200: { description: 'All that match.', schema: z.string(), types: Object.values(EXPORT_TYPES) },
      },
      async handle({ caller, query: { format, ...filter } }) {
        const parts = everyPage((page) => list(caller, { filter, ...page }))
        const columns = Object.keys(listedSiteSchema.shape)
        return { status: 200, parts, format, columns, name: 'galley-sites' }
      },
    }),
  ]
}

const worstFinding = (report: SiteReport | null) =>
  report?.findings.find(({ level }) => level === 'problem') ??
  report?.findings.find(({ level }) => level === 'warning') ??
  null

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
      answers: { 200: { description: 'The site, stopped.', schema: dataResponse(siteSchema) } },
      failures,
      handle: ({ caller, params: { uuid }, body: { reason = null } }) =>
        changed(caller, uuid, (site) => pauseSiteManually(pool, site, reason)),
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
      answers: { 200: { description: 'The site.', schema: dataResponse(siteSchema) } },
      failures,
      handle: ({ caller, params: { uuid } }) =>
        changed(caller, uuid, (site) => resumeSiteManually(pool, site)),
    }),
  ]
}

/** What a site has to choose from. */
export function siteChoiceEndpoints({
  database: { pool },
  keyring,
  outbound,
}: Pick<Services, 'database' | 'keyring' | 'outbound'>): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/v1/sites/{uuid}/choices',
      operationId: 'getSiteChoices',
      right: 'sites.read',
      tag: 'Sites',
      summary: 'Read what the settings of a site may name: its post types, authors, categories and languages',
      description: 'The site is asked; nothing is written.',
      params: uuidInPath,
      answers: { 200: { description: 'What it has.', schema: dataResponse(siteChoicesSchema) } },
      failures: {
        404: 'No such site in this account.',
        422: 'The site cannot be asked: `error.code` and the sentence say why.',
      },
      async handle({ caller: { accountId }, params: { uuid: id } }) {
        const found = await loadSite({ pool, keyring, outbound }, { accountId, id })
        if (found === null) throw siteUnknown({ accountId, id })
        return { status: 200, body: { success: true, data: await readChoices(found.open().client) } }
      },
    }),
  ]
}
