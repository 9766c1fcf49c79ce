import { checkByHand } from '../../delivery/site-worker/check.ts'
import { type SiteReport, siteReportSchema } from '../../sites/health/report.ts'
import { answers, type Endpoint, endpoint } from '../endpoint.ts'
import type { Services } from '../services.ts'

export function siteCheckEndpoints({ database, keyring, outbound, log }: Services): Endpoint[] {
  const { prisma, pool } = database
  const look = coalesceRuns<SiteReport>()
  return [
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
        look(`${accountId}/${id}`, () =>
          checkByHand({ prisma, pool, keyring, outbound, log }, { accountId, id }),
        ),
    }),
  ]
}

/** Work that does not get better by being done at once: who asks during a run shares the next, which sees their changes. */
function coalesceRuns<Result>(): (key: string, run: () => Promise<Result>) => Promise<Result> {
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
