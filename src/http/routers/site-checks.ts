import { z } from 'zod'
import { singleLineText } from '../../contract/scalars.ts'
import { resumeSite } from '../../delivery/ledger/pause-and-resume.ts'
import { checkSite } from '../../sites/health/check-site.ts'
import { getCheck, refuseTooManyChecks, siteCheckSchema, startCheck } from '../../sites/health/checks.ts'
import { type SiteReport, siteReportSchema } from '../../sites/health/report.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import type { Services } from '../services.ts'
import { dataResponse, pageQuery, uuidInPath } from '../validation.ts'

const checkRequest = z
  .strictObject({
    label: singleLineText(100).optional().describe('Only sites with this label.'),
  })
  .prefault({})

const checkProgress = dataResponse(siteCheckSchema).extend({ next_cursor: z.string().nullable() })

/** The doctor: for one site at once, for many as a job. */
export function siteCheckEndpoints({
  database: { prisma, pool },
  keyring,
  outbound,
}: Pick<Services, 'database' | 'keyring' | 'outbound'>): Endpoint[] {
  const look = coalesceRuns<SiteReport>()
  return [
    endpoint({
      method: 'post',
      path: '/v1/sites/check',
      operationId: 'checkSites',
      right: 'sites.change',
      action: 'site.check',
      tag: 'Sites',
      summary: 'Check all sites, or those with a label',
      body: checkRequest,
      idempotent: true,
      answers: { 202: { description: 'It is under way.', schema: checkProgress } },
      failures: { 422: 'A mistake in the request, or a label that no site has.' },
      async handle({ caller: { accountId, siteIds }, body, making: { id } }) {
        await refuseTooManyChecks(pool, { id, accountId })
        await startCheck(pool, { id, accountId, label: body.label, ...(siteIds && { siteIds }) })
        const { check, nextCursor } = await getCheck(prisma, { accountId, siteIds, id, limit: 20 })
        return { status: 202, body: { success: true, data: check, next_cursor: nextCursor } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/sites/check/{uuid}',
      operationId: 'getSitesCheck',
      right: 'sites.read',
      tag: 'Sites',
      summary: 'Read the progress and results of a check of many sites',
      params: uuidInPath,
      query: pageQuery,
      answers: { 200: { description: 'Its progress and a page of its results.', schema: checkProgress } },
      failures: { 404: 'No such check in this account.' },
      async handle({ caller: { accountId, siteIds }, params, query }) {
        const { check, nextCursor } = await getCheck(prisma, {
          accountId,
          siteIds,
          id: params.uuid,
          ...query,
        })
        return { status: 200, body: { success: true, data: check, next_cursor: nextCursor } }
      },
    }),
    endpoint({
      method: 'post',
      path: '/v1/sites/{uuid}/check',
      operationId: 'checkSite',
      right: 'sites.change',
      action: 'site.check',
      tag: 'Sites',
      summary: 'Check a site',
      description:
        'Creates a draft and a few tiny files on the site and removes them again. Requests that come while a check is under way share the next one. If nothing is in the way, what waited for the site continues.',
      params: uuidInPath,
      answers: { 200: { description: 'What it found.', schema: dataResponse(siteReportSchema) } },
      failures: {
        404: 'No such site in this account.',
        409: 'Somebody else reconnected the site meanwhile, several times.',
      },
      async handle({ caller: { accountId }, params: { uuid: id } }) {
        const report = await look(`${accountId}/${id}`, () =>
          checkSite({ prisma, pool, keyring, outbound }, { accountId, id }),
        )
        if (report.level !== 'problem') await resumeSite(pool, { accountId, id })
        return { status: 200, body: { success: true, data: report } }
      },
    }),
  ]
}

/**
 * Work on one thing that does not get better by being done several times at once: whoever asks while a run is under way
 * shares one more with all others who do, which begins when that one has ended, so that it sees what they had changed.
 */
export function coalesceRuns<Result>(): (key: string, run: () => Promise<Result>) => Promise<Result> {
  const underWay = new Map<string, Promise<Result>>()
  const following = new Map<string, Promise<Result>>()
  const begin = (key: string, run: () => Promise<Result>): Promise<Result> => {
    const result = run().finally(() => underWay.delete(key))
    underWay.set(key, result)
    return result
  }
  return (key, run) => {
    const before = underWay.get(key)
    if (before === undefined) return begin(key, run)
    const shared =
      following.get(key) ??
      before
        .catch(() => undefined)
        .then(() => {
          following.delete(key)
          return begin(key, run)
        })
    following.set(key, shared)
    return shared
  }
}
