import type { RequestHandler } from 'express'
import type { Pool } from 'pg'
import { z } from 'zod'
import type { Caller } from '../accounts/authenticate.ts'
import { canSee, type ScopedResource } from '../accounts/visibility.ts'
import { singleLineText, uuid } from '../contract/scalars.ts'
import { refusal } from '../errors.ts'
import { pluralize } from '../lib/text.ts'
import { cachedSet } from '../lib/visible-sites.ts'
import { type SiteChoice, selectSites } from '../sites/list.ts'
import { callerOf } from './authentication.ts'
import { invalidRequest } from './endpoint.ts'

/** By a path's beginning. `all` is seen by every key; what is missing by no limited one (a test looks). */
const resourceKinds: [path: string, kind: ScopedResource | 'site' | 'all'][] = [
  ['/v1/imports/{uuid}', 'site_import'],
  ['/v1/sites/{uuid}', 'site'],
  ['/v1/events/{uuid}', 'event'],
  ['/v1/connect-links/{uuid}', 'connect_link'],
  ['/v1/notifications/{uuid}', 'notification'],
  ['/v1/document/status/{uuid}', 'generation_job'],
  ['/v1/audio/status/{uuid}', 'generation_job'],
  ['/v1/image/status/{uuid}', 'generation_job'],
  ['/v1/jobs/{uuid}', 'generation_job'],
  ['/v1/sources/{uuid}', 'all'],
  // Their statements look themselves at what a key sees.
  ['/v1/deliveries/{uuid}', 'all'],
  ['/v1/receivers/{uuid}', 'all'],
  // A limited key sees its own jobs alone: bulk/view.ts.
  ['/v1/bulk/{uuid}', 'all'],
]

export const resourceKind = (path: string): ScopedResource | 'site' | 'all' | undefined =>
  resourceKinds.find(([beginning]) => path === beginning || path.startsWith(`${beginning}/`))?.[1]

/** 404 for a key limited to other sites, before the body is read; no handler where every key passes. */
export function requireVisibleResource(path: string, pool: Pool): RequestHandler[] {
  const kind = path.includes('{uuid}') ? resourceKind(path) : 'all'
  if (kind === 'all') return []
  const handler: RequestHandler = async ({ params }, response, next) => {
    const caller = callerOf(response)
    const id = String(params.uuid ?? '')
    // What is no id at all is for the schema of the path to refuse.
    if (caller.siteIds === null || !uuid.safeParse(id).success) return next()
    const visible =
      kind === 'site'
        ? cachedSet(caller.siteIds).has(id.toLowerCase())
        : kind !== undefined && (await canSee(pool, caller, kind, id))
    if (!visible)
      throw refusal(
        'NOT_FOUND',
        'There is nothing under this id that this API key sees: it is limited to some sites of its account.',
        404,
      )
    next()
  }
  return [handler]
}

/** Refuses sites that the key does not see, as if the account did not have them. @throws GalleyError 422 `INVALID_REQUEST` */
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

/** @throws GalleyError 422 `SITE_OUT_OF_SIGHT` where the key would not see the site afterwards */
export function refuseInvisibleLabels({ siteIds, labels }: Caller, site: { labels: string[] }): void {
  if (siteIds === null || site.labels.some((label) => labels.includes(label))) return
  throw refusal(
    'SITE_OUT_OF_SIGHT',
    labels.length === 0
      ? 'This API key is limited to some sites, and connects no others. Use a key without a limit.'
      : `This API key is limited to sites with the label ${labels.join(' or ')}, and connects no others. Give the site that label.`,
    422,
    { labels },
  )
}

export const siteChoiceShape = (most: number) => ({
  site_ids: z.array(uuid).min(1).max(most).optional().describe('Sites of the account.'),
  labels: z
    .array(singleLineText(100))
    .min(1)
    .max(50)
    .optional()
    .describe('All sites that have one of these labels.'),
})

/** The sites that a body names, at least one. @throws GalleyError 422: unseen sites, no site, too many */
export async function resolveSiteChoice(
  pool: Pool,
  caller: Caller,
  choice: SiteChoice,
  most: number,
): Promise<[string, ...string[]]> {
  const found = await selectSites(pool, caller, choice, most + 1)
  const path = choice.labels ? 'body.labels' : 'body'
  if (found.length > most)
    throw invalidRequest([
      { path, message: `names more than ${pluralize(most, 'site')}, the most at a time` },
    ])
  const wanted = choice.site_ids ?? []
  const missing = wanted.flatMap((id, at) => (found.includes(id) ? [] : [`body.site_ids.${at}`]))
  if (missing.length > 0)
    throw invalidRequest(missing.map((path) => ({ path, message: 'is not a site of this account' })))
  const [first, ...others] = new Set([...wanted, ...found])
  if (first === undefined) throw invalidRequest([{ path, message: 'names no site of this account' }])
  return [first, ...others]
}
