import { z } from 'zod'
import type { Caller } from '../../accounts/authenticate.ts'
import { singleLineText, uuid } from '../../contract/scalars.ts'
import { deliverySummaryBySite } from '../../delivery/api/counts.ts'
import { siteSummaryShape } from '../../delivery/api/schema.ts'
import { countSiteStates, siteStatesSchema } from '../../delivery/api/site-states.ts'
import { followVisited } from '../../delivery/follow/follow.ts'
import { pauseSiteManually, resumeLockedSite, resumeSiteManually } from '../../delivery/ledger/outage.ts'
import { checkAndRecord, checkByHand } from '../../delivery/site-worker/check.ts'
import { isInterrupted, recoverWith } from '../../errors.ts'
import { Coalescer } from '../../lib/coalescer.ts'
import { type CsvColumns, memberColumns } from '../../lib/csv.ts'
import { formatLabels } from '../../lib/label-list.ts'
import type { Page } from '../../lib/paging.ts'
import type { SiteId } from '../../sites/connection.ts'
import { startChecks } from '../../sites/health/check-site.ts'
import { requireSite } from '../../sites/health/load-site.ts'
import { type SiteReport, siteReportSchema } from '../../sites/health/report.ts'
import type { exportedStateColumns } from '../../sites/import-file.ts'
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
import { getSite, isConnectedSince } from '../../sites/registry.ts'
import {
  newSiteSchema,
  type SiteView,
  sitePatchSchema,
  sitePauseSchema,
  siteSchema,
} from '../../sites/schema.ts'
import { removeSite, updateSite } from '../../sites/update.ts'
import { readChoices, siteChoicesSchema } from '../../sites/validate-settings.ts'
import { answers, booleanFlag, type Endpoint, endpoint, pageQuery } from '../endpoint.ts'
import type { Services } from '../services.ts'
import { refuseInvisibleLabels } from '../site-access.ts'
import { exportAnswer, exportFormat, exportList } from '../streaming.ts'

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

export function siteEndpoints(services: Services): Endpoint[] {
  const { keyring, outbound, log } = services
  const { prisma, pool } = services.database
  const registry = { prisma, keyring, outbound, resume: resumeLockedSite }
  const checking = { prisma, pool, keyring, outbound, log }
  const checks = new Coalescer()
  const refused =
    'A mistake in the request, or the site did not accept it: `error.code` and the sentence say why.'
  const changed = async (site: SiteId, change: (site: SiteId) => Promise<void>) => {
    await change(site)
    return getSite({ prisma }, site)
  }
  return [
    // Before the calls that name a site: `labels` is no id.
    ...siteListEndpoints(services),
    endpoint('POST /v1/sites', {
      operationId: 'connectSite',
      right: 'sites.change',
      action: 'site.connect',
      summary: 'Connect a site',
      description: 'Finds its REST API and verifies the credentials; nothing is stored if that fails.',
      query: registrationBody,
      body: newSiteSchema,
      idempotent: true,
      answer: answers.created('The connected site.', siteSchema),
      failures: {
        409: 'SITE_ID_TAKEN: this account has a site under this id. SITE_CONNECTED_ALREADY: it has this site for this user (`details.site_id`, where the key sees it). SITE_CHANGED.',
        422: refused,
      },
      async handle({ caller, query, body, making }) {
        const { accountId, siteIds } = caller
        refuseInvisibleLabels(caller, body)
        const { id = making.id } = body
        const { againSince } = making
        const made = againSince && (await isConnectedSince(registry, { accountId, id }, againSince))
        if (!made) await registerSite(registry, { accountId, siteIds, ...body, id })
        const checked =
          query.check &&
          (await checkAndRecord(checking, { accountId, id }).catch(recoverWith(null, isInterrupted)))
        if (checked === null) await startChecks(pool, accountId, [id])
        return getSite(registry, { accountId, id })
      },
    }),
    endpoint('GET /v1/sites/{uuid}', {
      operationId: 'getSite',
      right: 'sites.read',
      summary: 'Read a site',
      answer: answers.data('The site.', siteSchema),
      async handle({ caller: { accountId, sessionId }, params }) {
        const site = { accountId, id: params.uuid }
        if (sessionId) await followVisited(pool, site)
        return getSite(registry, site)
      },
    }),
    endpoint('PATCH /v1/sites/{uuid}', {
      operationId: 'updateSite',
      right: 'sites.change',
      action: 'site.change',
      summary: 'Change a site, or connect it again',
      description:
        'A new address or new credentials are verified first, and then start what waited for them.',
      body: sitePatchSchema,
      answer: answers.data('The site.', siteSchema),
      failures: {
        409: 'SITE_CONNECTED_ALREADY: the site at this address is connected for this user already. SITE_CHANGED: somebody else reconnected it meanwhile.',
        422: `${refused} PASSWORD_NEEDED: the REST API would be at another origin, and the stored password goes to none but its own.`,
      },
      handle: ({ caller: { accountId, siteIds }, params: { uuid: id }, body }) =>
        updateSite(registry, { accountId, siteIds, id }, body),
    }),
    endpoint('DELETE /v1/sites/{uuid}', {
      operationId: 'removeSite',
      right: 'sites.change',
      action: 'site.remove',
      summary: 'Remove a site; its posts stay',
      description:
        'What waits for it is held. Which document became which of its posts is known by its id: to connect it again, give that id. Under another one a post is known again by its slug, author and text alone, and where these have changed, or where it is a draft without a slug, a document that is sent again becomes a second post.',
      query: removalQuery,
      answer: answers.members('Removed.', {
        id: uuid,
        message: z.string().describe('A sentence for whoever connects it again.'),
      }),
      failures: {
        409: 'PASSWORD_UNKNOWN: the password cannot be revoked from here. SITE_CHANGED: somebody else reconnected the site meanwhile.',
        422: refused,
      },
      async handle({ caller: { accountId }, params: { uuid: id }, query }) {
        return { id, message: await removeSite(registry, { accountId, id }, query) }
      },
    }),
    endpoint('POST /v1/sites/{uuid}/check', {
      operationId: 'checkSite',
      right: 'sites.change',
      action: 'site.check',
      summary: 'Check a site',
      description:
        'Creates a draft and a few tiny files on the site and removes them again. Requests that come while a check is under way share the next one. If nothing is in the way, what waited for the site continues.',
      answer: answers.data('What it found.', siteReportSchema),
      failures: { 409: 'SITE_CHANGED: somebody else reconnected the site meanwhile, several times.' },
      handle: ({ caller: { accountId }, params: { uuid: id } }) =>
        checks.ask(
          `${accountId}/${id}`,
          id,
          async (ids) => {
            const report = await checkByHand(checking, { accountId, id })
            return ids.map(() => report)
          },
          { most: Number.POSITIVE_INFINITY, oneAtATime: true },
        ),
    }),
    endpoint('POST /v1/sites/{uuid}/pause', {
      operationId: 'pauseSite',
      right: 'sites.change',
      action: 'site.pause',
      summary: 'Pause a site by hand',
      description:
        'Nothing more is sent to it; what is under way comes to its end. Webhooks are taken, and their deliveries wait until the site is resumed, whatever its health.',
      body: sitePauseSchema,
      answer: answers.data('The site, stopped.', siteSchema),
      handle: ({ caller: { accountId }, params: { uuid: id }, body: { reason = null } }) =>
        changed({ accountId, id }, (site) => pauseSiteManually(pool, site, reason)),
    }),
    endpoint('POST /v1/sites/{uuid}/resume', {
      operationId: 'resumeSite',
      right: 'sites.change',
      action: 'site.resume',
      summary: 'Resume a site that was paused by hand',
      description: 'What was waiting starts at once. A site that is in trouble stays so.',
      answer: answers.data('The site.', siteSchema),
      handle: ({ caller: { accountId }, params: { uuid: id } }) =>
        changed({ accountId, id }, (site) => resumeSiteManually(pool, site)),
    }),
    endpoint('GET /v1/sites/{uuid}/choices', {
      operationId: 'getSiteChoices',
      right: 'sites.read',
      summary: 'Read what the settings of a site may name: its post types, authors, categories and languages',
      description: 'The site is asked; nothing is written.',
      answer: answers.data('What it has.', siteChoicesSchema),
      failures: { 422: 'The site cannot be asked: `error.code` and the sentence say why.' },
      async handle({ caller: { accountId }, params: { uuid: id } }) {
        const site = await requireSite({ pool, keyring, outbound }, { accountId, id })
        return readChoices(site.open().client)
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

/** A site as the list shows it: without its settings and report, with what it has on its way. */
const listedSiteSchema = siteSchema
  .omit({ settings: true, report: true })
  .extend({
    ...siteSummaryShape,
    checked: siteReportSchema
      .pick({ checked_at: true, level: true })
      .nullable()
      .describe('The last report in short; null before the first check.'),
    worst_finding: siteReportSchema.shape.findings.element
      .nullable()
      .describe('Of the last report; null where nothing is wrong, or nobody has looked.'),
  })
  .meta({ id: 'ListedSite' })

type ExportedSite = z.output<typeof listedSiteSchema> & SiteView

function siteListEndpoints({ database }: Services): Endpoint[] {
  const list = async (caller: Caller, request: SiteListRequest): Promise<Page<ExportedSite>> => {
    const { items, nextCursor } = await listSites(database, caller, request)
    const ids = items.map(({ id }) => id)
    const summaries = await deliverySummaryBySite(database.pool, caller.accountId, ids)
    const listed = items.flatMap((site) => {
      const summary = summaries.get(site.id)
      if (summary === undefined) return []
      const { report } = site
      const checked = report && { checked_at: report.checked_at, level: report.level }
      return [{ ...site, ...summary, checked, worst_finding: worstFinding(report) }]
    })
    return { items: listed, nextCursor }
  }
  return [
    endpoint('GET /v1/sites', {
      operationId: 'listSites',
      right: 'sites.read',
      summary: 'List the sites that match',
      description: 'Without their settings and reports, which GET /v1/sites/{uuid} has.',
      query: siteListQuery,
      answer: answers.page('A page of sites.', listedSiteSchema, {
        total: z.int().optional().describe('With `total=true`: how many match.'),
      }),
      failures: { 422: 'A mistake in the request, or CURSOR_UNFIT: a cursor of another order.' },
      async handle({ caller, query: { limit, cursor, sort, total, ...filter } }) {
        const { items, nextCursor } = await list(caller, { filter, sort, limit, cursor })
        const listed = items.map(({ settings: _settings, report: _report, ...site }) => site)
        const counted = total ? { total: await countSites(database, caller, filter) } : {}
        return { items: listed, nextCursor, ...counted }
      },
    }),
    endpoint('GET /v1/sites/states', {
      operationId: 'countSiteStates',
      right: 'sites.read',
      summary: 'Count the sites that match by state, and those that do not work by cause',
      description: 'Down: Galley tries again by itself. What needs a person says what to do.',
      query: siteFilterSchema,
      answer: answers.data('The counts and the causes, the most sites first.', siteStatesSchema),
      handle: ({ caller, query }) => countSiteStates(database.pool, caller, query),
    }),
    endpoint('GET /v1/sites/labels', {
      operationId: 'listLabels',
      right: 'sites.read',
      summary: 'List the labels that sites have',
      query: z.strictObject({
        search: singleLineText(100).optional().describe('Text that the label has, whatever its case.'),
      }),
      answer: answers.members('Each with how many sites have it, the most used first.', {
        data: z.array(labelSchema),
        more: z.boolean().describe('There are so many that only the most used are listed.'),
      }),
      async handle({ caller, query: { search } }) {
        const { labels: data, more } = await listLabels(database, caller, search)
        return { data, more }
      },
    }),
    endpoint('GET /v1/sites/export', {
      operationId: 'exportSites',
      right: 'sites.read',
      summary: 'Export the sites that match, by id',
      description:
        'Without their passwords. POST /v1/imports reads the CSV file once `application_password` is filled in; settings and reports are in NDJSON alone.',
      query: siteFilterSchema.extend({ format: exportFormat }),
      answer: exportAnswer,
      handle: ({ caller, query: { format, ...filter } }) =>
        exportList({ name: 'sites', format, columns: siteColumns }, (page) =>
          list(caller, { filter, ...page }),
        ),
    }),
  ]
}

const siteColumns = {
  ...memberColumns<ExportedSite>('id', 'url', 'username'),
  application_password: () => '',
  name: ({ name }) => name,
  labels: ({ labels }) => formatLabels(labels, ';'),
  owner_email: ({ owner_email }) => owner_email,
  state: ({ state }) => state,
  trouble: ({ trouble }) => trouble?.message,
  since: ({ since }) => since,
  next_try: ({ next_try }) => next_try,
  stopped_at: ({ stopped }) => stopped?.at,
  stop_reason: ({ stopped }) => stopped?.reason,
  checked_at: ({ checked }) => checked?.checked_at,
  check_level: ({ checked }) => checked?.level,
  worst_finding: ({ worst_finding }) => worst_finding?.check,
  backlog: ({ backlog }) => backlog.count,
  held: ({ held }) => held.count,
  last_delivery_status: ({ last_delivery }) => last_delivery?.status,
  last_delivery_at: ({ last_delivery }) => last_delivery?.ended_at ?? last_delivery?.created_at,
  created_at: ({ created_at }) => created_at,
  updated_at: ({ updated_at }) => updated_at,
} satisfies CsvColumns<ExportedSite> &
  Record<(typeof exportedStateColumns)[number], CsvColumns<ExportedSite>[string]>

const worstFinding = (report: SiteReport | null) =>
  report?.findings.find(({ level }) => level === 'problem') ??
  report?.findings.find(({ level }) => level === 'warning') ??
  null
