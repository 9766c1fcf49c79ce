import type { Pool } from 'pg'
import { z } from 'zod'
import { isoInstant, queryRows } from '../../database/statement.ts'
import type { SiteId } from '../../sites/connection.ts'
import { type SiteState, siteStateSql, siteStates, stateSinceSql } from '../../sites/health/state.ts'
import { type SiteFilter, type SiteScope, siteCondition } from '../../sites/list.ts'
import { adviceFor, needsReconnect, withoutAdvice } from '../ledger/failure.ts'
import { MOST_COUNTED, waitingForSite } from '../ledger/outage.ts'

const FAILING = ['down', 'needs_owner', 'needs_you'] as const satisfies readonly SiteState[]

const causeSchema = z
  .object({
    state: z.enum(FAILING),
    code: z.string().describe('`trouble.code` of the sites, or the `check` of their report.'),
    sentence: z.string().describe('What happened, as one of the sites has it.'),
    todo: z.string().nullable().describe('What to do; null where the sentence says it.'),
    reconnect: z.boolean().describe('Whether the sites go on once they are connected again.'),
    site_count: z.int(),
    sites: z
      .array(z.object({ id: z.guid(), name: z.string(), url: z.string() }))
      .describe('At most three, those first that have been so for the longest.'),
    waiting: z.int().describe('Documents that wait for these sites; at least so many, where `waiting_more`.'),
    waiting_more: z.boolean().describe(`Of a site with ${MOST_COUNTED} or more, not all were counted.`),
    since: z.iso.datetime().nullable().describe('When the first of them began.'),
    next_try: z.iso.datetime().nullable().describe('When the next of them is tried again.'),
    filter: z
      .object({ state: z.enum(FAILING), trouble: z.string().optional(), finding: z.string().optional() })
      .describe('Lists the sites.'),
  })
  .meta({ id: 'SiteCause' })

export const siteStatesSchema = z
  .object({
    total: z.int(),
    by_state: z.object(
      Object.fromEntries(siteStates.map((state) => [state, z.int()])) as Record<SiteState, z.ZodInt>,
    ),
    causes: z.array(causeSchema),
  })
  .meta({ id: 'SiteStates' })

type SiteStates = z.output<typeof siteStatesSchema>
type Cause = SiteStates['causes'][number]

interface StateGroup
  extends Pick<Cause, 'todo' | 'site_count' | 'sites' | 'waiting' | 'waiting_more' | 'since' | 'next_try'> {
  state: SiteState
  /** Null for a state that has no cause. */
  code: string | null
  in_trouble: boolean
  message: string
}

const isFailing = `state IN (${FAILING.map((state) => `'${state}'`).join(', ')})`

/** Counts the matching sites by state, and those that do not work by cause, the most sites first. */
export async function countSiteStates(pool: Pool, scope: SiteScope, filter: SiteFilter): Promise<SiteStates> {
  const { sql, values } = siteCondition(scope, filter)
  const rows = await queryRows<StateGroup>(
    pool,
    `WITH found AS (
       SELECT s.account_id, s.id, s.name, s.url, s.trouble, s.paused_until, ${siteStateSql('s')} AS state, ${stateSinceSql('s')} AS since,
         CASE WHEN s.trouble IS NULL THEN jsonb_path_query_first(s.report, '$.findings[*] ? (@.level == "problem")') END AS finding
       FROM site s WHERE ${sql}
     ), counted AS (
       SELECT found.*, CASE WHEN ${isFailing} THEN coalesce(trouble ->> 'code', finding ->> 'check') END AS code,
         CASE WHEN ${isFailing} THEN ${waitingForSite('found')} ELSE 0 END AS waiting
       FROM found
     )
     SELECT state, code, trouble IS NOT NULL AS in_trouble, count(*)::int AS site_count, sum(waiting)::int AS waiting,
       bool_or(waiting >= ${MOST_COUNTED}) AS waiting_more,
       ${isoInstant('min(since)')} AS since, ${isoInstant('min(paused_until)')} AS next_try,
       (array_agg(coalesce(trouble ->> 'message', finding ->> 'seen') ORDER BY since, id))[1] AS message,
       (array_agg(finding ->> 'todo' ORDER BY since, id))[1] AS todo,
       (array_agg(json_build_object('id', id, 'name', name, 'url', url) ORDER BY since, id))[1:3] AS sites
     FROM counted GROUP BY state, code, in_trouble ORDER BY site_count DESC, code, state`,
    values,
  )
  const by_state = Object.fromEntries(siteStates.map((state) => [state, 0])) as SiteStates['by_state']
  for (const { state, site_count } of rows) by_state[state] += site_count
  return {
    total: rows.reduce((sum, { site_count }) => sum + site_count, 0),
    by_state,
    causes: rows.flatMap((group) => causeOf(group) ?? []),
  }
}

function causeOf({ state, code, in_trouble, message, ...group }: StateGroup): Cause | null {
  if (code === null) return null
  const failing = state as Cause['state']
  const todo = in_trouble ? adviceFor(code) : group.todo
  return {
    ...group,
    state: failing,
    code,
    todo,
    sentence: withoutAdvice(message, todo),
    reconnect: in_trouble && needsReconnect(code),
    filter: in_trouble ? { state: failing, trouble: code } : { state: failing, finding: code },
  }
}

export interface OwnerReport {
  name: string
  url: string
  ownerEmail: string | null
  /** What happened, without advice; null for a site that works. */
  happened: string | null
  since: Date | null
  waiting: number
  waitingMore: boolean
}

/** What the owner of a site is told of it; null where there is no such site. */
export async function readOwnerReport(pool: Pool, { accountId, id }: SiteId): Promise<OwnerReport | null> {
  const [row] = await queryRows<Omit<OwnerReport, 'waitingMore'> & { code: string | null }>(
    pool,
    `SELECT s.name, s.url, s.owner_email AS "ownerEmail", s.trouble ->> 'code' AS code, s.trouble ->> 'message' AS happened,
       ${stateSinceSql('s')} AS since, (${waitingForSite('s')})::int AS waiting
     FROM site s WHERE s.account_id = :accountId AND s.id = :id`,
    { accountId, id },
  )
  if (row === undefined) return null
  const { code, happened, ...report } = row
  return {
    ...report,
    happened: code && happened && withoutAdvice(happened, adviceFor(code)),
    waitingMore: report.waiting >= MOST_COUNTED,
  }
}
