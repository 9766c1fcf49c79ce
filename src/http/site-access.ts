import type { RequestHandler } from 'express'
import type { Pool } from 'pg'
import { z } from 'zod'
import type { Caller } from '../accounts/authenticate.ts'
import { canSee, type ScopedResource } from '../accounts/visibility.ts'
import { singleLineText, uuid } from '../contract/scalars.ts'
import { GalleyError } from '../errors.ts'
import { pluralize } from '../lib/text.ts'
import { cachedSet } from '../lib/visible-sites.ts'
import { selectSites } from '../sites/list.ts'
import { callerOf } from './authentication.ts'
import { invalidRequest } from './validation.ts'

/**
 * What the id in a path names, by the path's beginning. `all` is seen by every key of the account, whatever it is limited
 * to; what is named nowhere is seen by none that is limited (a test walks all paths).
 */
const resourceKinds: [path: string, kind: ScopedResource | 'all'][] = [
  ['/v1/sites/check/{uuid}', 'site_check'],
  ['/v1/imports/{uuid}', 'site_import'],
  ['/v1/sites/{uuid}', 'site'],
  ['/v1/deliveries/{uuid}', 'delivery'],
  ['/v1/events/{uuid}', 'event'],
  ['/v1/connect-links/{uuid}', 'connect_link'],
  ['/v1/notifications/{uuid}', 'notification'],
  ['/v1/document/status/{uuid}', 'generation_job'],
  ['/v1/audio/status/{uuid}', 'generation_job'],
  ['/v1/image/status/{uuid}', 'generation_job'],
  ['/v1/jobs/{uuid}', 'generation_job'],
  ['/v1/sources/{uuid}', 'all'],
  // Its statements look themselves at what a key sees.
  ['/v1/receivers/{uuid}', 'all'],
  // Of those that a limited key sees none but its own: bulk/view.ts.
  ['/v1/bulk/{uuid}', 'all'],
]

/** What the id in this path names; undefined where nobody has said. */
export const resourceKind = (path: string): ScopedResource | 'all' | undefined =>
  resourceKinds.find(([beginning]) => path === beginning || path.startsWith(`${beginning}/`))?.[1]

/**
 * Lets nobody past whose key is limited to other sites than the one that the path is about: 404, as if it were another
 * account's, before the body is read.
 */
export function requireVisibleResource(path: string, pool: Pool): RequestHandler {
  const kind = resourceKind(path)
  return async ({ params }, response, next) => {
    const caller = callerOf(response)
    const id = String(params.uuid ?? '')
    // What is no id at all is for the schema of the path to refuse.
    if (caller.siteIds === null || !uuid.safeParse(id).success || kind === 'all') return next()
    if (kind !== undefined && (await canSee(pool, caller, kind, id))) return next()
    throw notVisible()
  }
}

/**
 * Refuses a body that names a site which the key does not see, as if it were no site of the account.
 *
 * @throws GalleyError 422 `INVALID_REQUEST`
 */
export function refuseInvisibleSites({ siteIds }: Caller, body: unknown): void {
  if (siteIds === null || typeof body !== 'object' || body === null) return
  // A body may name hundreds of thousands, and a key see tens of thousands.
  const seen = cachedSet(siteIds)
  const unseen = (['site_id', 'site_ids'] as const).filter((name) =>
    [(body as Record<string, unknown>)[name]]
      .flat()
      .some((id) => typeof id === 'string' && !seen.has(id.toLowerCase())),
  )
  if (unseen.length === 0) return
  throw invalidRequest(
    unseen.map((name) => ({ path: `body.${name}`, message: 'is not a site that this API key sees' })),
  )
}

/**
 * Refuses to connect a site that the key would not see afterwards: it must have one of the labels that the key is limited to.
 *
 * @throws GalleyError 422 `SITE_OUT_OF_SIGHT`
 */
export function refuseInvisibleLabels(caller: Caller, site: { labels: string[] }): void {
  if (willBeVisible(caller, site)) return
  const { labels } = caller
  throw new GalleyError({
    code: 'SITE_OUT_OF_SIGHT',
    httpStatus: 422,
    fault: 'owner',
    action: 'owner',
    message:
      labels.length === 0
        ? 'This API key is limited to some sites, and connects no others. Use a key without a limit.'
        : `This API key is limited to sites with the label ${labels.join(' or ')}, and connects no others. Give the site that label.`,
    details: { labels },
  })
}

/** Whether a key would see a site that is to have these labels. */
const willBeVisible = ({ siteIds, labels }: Caller, site: { labels: string[] }): boolean =>
  siteIds === null || site.labels.some((label) => labels.includes(label))

const notVisible = () =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    fault: 'owner',
    action: 'owner',
    message:
      'There is nothing under this id that this API key sees: it is limited to some sites of its account.',
  })

/** Members of a body that name sites. */
export const siteChoiceShape = (most: number) => ({
  site_ids: z.array(uuid).min(1).max(most).optional().describe('Sites of the account.'),
  labels: z
    .array(singleLineText(100))
    .min(1)
    .max(50)
    .optional()
    .describe('All sites that have one of these labels.'),
})

interface SiteChoice {
  site_ids?: string[] | undefined
  labels?: string[] | undefined
}

/**
 * The sites that a body names, each once; at least one.
 *
 * @throws GalleyError 422 for a site that the caller does not see, labels that none has, or more than `most`
 */
export async function resolveSiteChoice(
  pool: Pool,
  { accountId, siteIds: seen }: Caller,
  { site_ids: siteIds, labels }: SiteChoice,
  most: number,
): Promise<[string, ...string[]]> {
  const wanted = siteIds && [...new Set(siteIds)]
  const found = await selectSites(pool, { accountId, seen, siteIds: wanted, labels }, most + 1)
  const missing = (siteIds ?? []).filter((id) => !found.includes(id))
  if (missing.length > 0 && labels === undefined)
    throw invalidRequest(
      missing.map((id) => ({
        path: `body.site_ids.${siteIds?.indexOf(id)}`,
        message: 'is not a site of this account',
      })),
    )
  const [first, ...others] = wanted?.filter((id) => found.includes(id)) ?? found
  if (first === undefined)
    throw invalidRequest([
      { path: labels ? 'body.labels' : 'body', message: 'names no site of this account' },
    ])
  if (found.length > most)
    throw invalidRequest([
      {
        path: labels ? 'body.labels' : 'body',
        message: `names more than ${pluralize(most, 'site')}, the most at a time`,
      },
    ])
  return [first, ...others]
}
