import type { Pool } from 'pg'
import { z } from 'zod'
import type { Caller } from '../../accounts/authenticate.ts'
import { line } from '../../contract/text.ts'
import { uuid } from '../../contract/wire.ts'
import { chosenSites } from '../../sites/chosen.ts'
import { counted } from '../../text.ts'
import { invalidRequest } from '../validation.ts'

/** Members of a body that name sites. */
export const choiceOf = (most: number) => ({
  site_ids: z.array(uuid).min(1).max(most).optional().describe('Sites of the account.'),
  labels: z.array(line(100)).min(1).max(50).optional().describe('All sites that have one of these labels.'),
})

interface Chosen {
  site_ids?: string[] | undefined
  labels?: string[] | undefined
}

/**
 * The sites that a body names, each once; at least one.
 *
 * @throws GalleyError 422 for a site that the caller does not see, labels that none has, or more than `most`
 */
export async function readChoice(
  pool: Pool,
  { accountId, siteIds: seen }: Caller,
  { site_ids: siteIds, labels }: Chosen,
  most: number,
): Promise<[string, ...string[]]> {
  const wanted = siteIds && [...new Set(siteIds)]
  const found = await chosenSites(pool, { accountId, seen, siteIds: wanted, labels }, most + 1)
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
        message: `names more than ${counted(most, 'site')}, the most at a time`,
      },
    ])
  return [first, ...others]
}
