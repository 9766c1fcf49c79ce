import { z } from 'zod'
import type { Caller } from '../../accounts/authenticate.ts'
import { line } from '../../contract/text.ts'
import { deliveriesOfSites, type OfSite } from '../../delivery/api/of-sites.ts'
import { ofSiteShape } from '../../delivery/api/schema.ts'
import type { Page } from '../../paging.ts'
import { siteFilterSchema } from '../../sites/filter.ts'
import { type SiteReport, siteReportSchema } from '../../sites/health/report.ts'
import { labelSchema, listLabels } from '../../sites/labels.ts'
import { countSites, listSites, type SiteListRequest } from '../../sites/list.ts'
import { siteSortSchema } from '../../sites/order.ts'
import { type SiteView, siteSchema } from '../../sites/schema.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { EXPORT_TYPES, everyPage, exportFormat } from '../export.ts'
import { answerWith, flag, listOf, page } from '../schemas.ts'
import type { Services } from '../services.ts'

const listing = siteFilterSchema.extend({
  ...page.shape,
  sort: siteSortSchema.optional(),
  cursor: line(5_000).optional().describe('`next_cursor` of the page before.'),
  total: flag.describe('Also count everything that matches.'),
})

/** A site as the list shows it, with what it has on its way. */
const listedSiteSchema = siteSchema
  .extend({
    ...ofSiteShape,
    worst_finding: siteReportSchema.shape.findings.element
      .nullable()
      .describe('Of the last report; null where nothing is wrong, or nobody has looked.'),
  })
  .meta({ id: 'ListedSite' })

type ListedSite = SiteView & OfSite & { worst_finding: SiteReport['findings'][number] | null }

/** The connected sites, as many look at them at once. Before the calls that name one: `labels` is no id. */
export function siteListEndpoints({ database }: Pick<Services, 'database'>): Endpoint[] {
  const list = async (caller: Caller, request: SiteListRequest): Promise<Page<ListedSite>> => {
    const { items, nextCursor } = await listSites(database, caller, request)
    const ids = items.map(({ id }) => id)
    const beside = await deliveriesOfSites(database.pool, caller.accountId, ids)
    const listed = items.flatMap((site) => {
      const ofSite = beside.get(site.id)
      return ofSite === undefined ? [] : [{ ...site, ...ofSite, worst_finding: worstOf(site.report) }]
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
      query: listing,
      answers: {
        200: {
          description: 'A page of sites.',
          schema: listOf(listedSiteSchema).extend({
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
          schema: answerWith(z.array(labelSchema)).extend({
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

const worstOf = (report: SiteReport | null) =>
  report?.findings.find(({ level }) => level === 'problem') ??
  report?.findings.find(({ level }) => level === 'warning') ??
  null
