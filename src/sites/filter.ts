import { z } from 'zod'
import { several } from '../contract/filtering.ts'
import { line } from '../contract/text.ts'
import { uuid } from '../contract/wire.ts'
import { siteReportSchema } from './health/report.ts'
import { siteStatusSchema } from './status.ts'

/** What sites are looked for by: in the query of a list, and in the JSON of whatever acts on all that match. */
export const siteFilterSchema = z.strictObject({
  site_id: several(uuid).optional().describe('One of these sites.'),
  label: line(100).optional(),
  status: several(siteStatusSchema).optional(),
  level: siteReportSchema.shape.level.optional().describe('Level of the last report.'),
  finding: z
    .string()
    .regex(/^[\w.-]{1,100}$/)
    .optional()
    .describe('A `check` of the last report that is a warning or a problem.'),
  trouble: z
    .string()
    .regex(/^\w{1,100}$/)
    .optional()
    .describe('`trouble.code`: why nothing is sent to the site, or why it is left alone for a while.'),
  search: line(200).optional().describe('Text that the name or the address has, whatever its case.'),
})

export type SiteFilter = z.output<typeof siteFilterSchema>

/** Whose sites may be seen: an account's, or some of them. A caller is one. */
export interface SiteScope {
  accountId: string
  /** Null for all sites. */
  siteIds: string[] | null
}

/** What an answer calls a site's status, in SQL of `s`, a row of `site`. The first that holds. */
const IN_STATUS = {
  stopped: 's.stopped_at IS NOT NULL',
  paused: 's.paused_until IS NOT NULL',
  needs_owner: 's.trouble IS NOT NULL',
  problem: `s.report_at IS NOT NULL AND s.report ->> 'level' = 'problem'`,
  connected: 'true',
} satisfies Record<z.output<typeof siteStatusSchema>, string>

/** An expression of the status of `s`, a row of `site`. */
export const siteStatusSql = `CASE ${Object.entries(IN_STATUS)
  .map(([status, holds]) => `WHEN ${holds} THEN '${status}'`)
  .join(' ')} END`

/**
 * The condition on `s`, a row of `site`, that it is in the scope and matches the filter. Its parameters are the only ones
 * in `values`; `:accountId` is among them.
 */
export function siteCondition(
  { accountId, siteIds }: SiteScope,
  filter: SiteFilter,
): { sql: string; values: Record<string, unknown> } {
  const parts = ['s.account_id = :accountId']
  const values: Record<string, unknown> = { accountId }
  const when = (value: unknown, name: string, sql: string) => {
    if (value === undefined || value === null) return
    parts.push(sql)
    values[name] = value
  }
  when(siteIds, 'seenSites', 's.id = ANY (:seenSites::uuid[])')
  when(filter.site_id, 'ofSites', 's.id = ANY (:ofSites::uuid[])')
  when(filter.label, 'ofLabel', ':ofLabel = ANY (s.labels)')
  when(filter.status, 'inStatuses', `${siteStatusSql} = ANY (:inStatuses::text[])`)
  when(filter.level, 'atLevel', `s.report_at IS NOT NULL AND s.report ->> 'level' = :atLevel`)
  when(filter.finding, 'ofFinding', FOUND)
  when(filter.trouble, 'inTrouble', `s.trouble IS NOT NULL AND s.trouble ->> 'code' = :inTrouble::text`)
  when(
    filter.search,
    'ofSearch',
    '(strpos(lower(s.name), lower(:ofSearch::text)) > 0 OR strpos(lower(s.url), lower(:ofSearch::text)) > 0)',
  )
  return { sql: parts.map((part) => `(${part})`).join(' AND '), values }
}

const FOUND = `s.report_at IS NOT NULL AND EXISTS (
  SELECT FROM jsonb_array_elements(s.report -> 'findings') f
  WHERE f ->> 'check' = :ofFinding::text AND f ->> 'level' <> 'ok')`
