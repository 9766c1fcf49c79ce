import type { Pool } from 'pg'
import { execute, queryRows } from '../database/statement.ts'
import type { PageRequest } from '../lib/paging.ts'
import type { Caller } from './authenticate.ts'

/** Of what a key that is limited to some sites sees a part only. */
export type ScopedResource = 'site_import' | 'event' | 'connect_link' | 'notification' | 'generation_job'

type ScopedCaller = Pick<Caller, 'accountId' | 'siteIds' | 'labels'>

/** A document that is not for any site, or for one of these. */
const JOB_IS_VISIBLE = (job: string) =>
  `(${job}.request #>> '{delivery,id}' IS NULL OR ${job}.request #>> '{delivery,id}' = ANY (:siteIds::text[]))`

/** That a document was asked for with `:search`, has it in its title, or in its id. */
export const JOB_HAS_TEXT = (job: string) =>
  `strpos(lower(concat_ws(' ', ${job}.id, ${job}.result ->> 'title', ${job}.request ->> 'prompt', ${job}.request ->> 'text')),
    lower(:search::text)) > 0`

/**
 * When a row `t` of its table is about one of the sites `:siteIds`. An event is, while it is the newest of a delivery, or
 * what stands on the site; a link also by the id or the labels that its site is to have. What a notification is about is looked
 * up one by one: of EXISTS, PostgreSQL would make a table of all jobs.
 */
const VISIBLE_WHEN: Record<ScopedResource, string> = {
  // Its lines name sites that the key may not see, and it makes none itself.
  site_import: '(:siteIds::uuid[] IS NULL)',
  event: `EXISTS (SELECT FROM delivery d WHERE d.account_id = t.account_id AND d.document_id = t.document_id
    AND t.id IN (d.wanted_event_id, d.delivered_event_id) AND d.site_id = ANY (:siteIds::uuid[]))`,
  connect_link: `(t.site_id = ANY (:siteIds::uuid[])
    OR t.site_id IS NULL AND (t.requested ->> 'id' = ANY (:siteIds::text[]) OR t.requested -> 'labels' ?| :labels::text[]))`,
  notification: `(t.subject_id = ANY (:siteIds::uuid[]) OR t.site_ids <> '{}' AND t.site_ids <@ :siteIds::uuid[]
    OR coalesce((SELECT d.site_id = ANY (:siteIds::uuid[]) FROM delivery d
      WHERE d.id = t.subject_id AND d.account_id = t.account_id), false)
    OR coalesce((SELECT ${JOB_IS_VISIBLE('j')} FROM generation_job j
      WHERE j.id = t.subject_id AND j.account_id = t.account_id), false))`,
  generation_job: JOB_IS_VISIBLE('t'),
}

const FILTERS = {
  status: 't.status = :status::text',
  statuses: 't.status = ANY (:statuses::text[])',
  kind: 't.kind = :kind::text',
  search: JOB_HAS_TEXT('t'),
  subject_id: 't.subject_id = :subject_id::uuid',
  receiver_id: 't.receiver_id = :receiver_id::uuid',
  event: 't.event = :event::text',
  link_statuses: `CASE WHEN t.used_at IS NOT NULL THEN 'used' WHEN t.revoked_at IS NOT NULL THEN 'revoked'
    WHEN t.expires_at <= now() THEN 'expired' ELSE 'open' END = ANY (:link_statuses::text[])`,
} as const

/** Whether a key sees this one, which may be another account's or not there at all. */
export async function canSee(pool: Pool, caller: ScopedCaller, kind: ScopedResource, id: string) {
  if (caller.siteIds === null) return true
  const { sql, values } = conditionOf(caller, kind)
  const rowCount = await execute(pool, `SELECT FROM ${kind} t WHERE t.id = :id::uuid AND ${sql}`, {
    ...values,
    id,
  })
  return rowCount !== 0
}

/** Newest first, and one more where there is another page; undefined for a key that sees all. */
export async function visibleIds(
  pool: Pool,
  caller: ScopedCaller,
  kind: ScopedResource,
  { limit, cursor }: PageRequest,
  filters: { [Name in keyof typeof FILTERS]?: string | string[] | undefined } = {},
): Promise<string[] | undefined> {
  if (caller.siteIds === null) return undefined
  const { sql, values } = conditionOf(caller, kind)
  const given = Object.entries({ ...filters }).filter(([, value]) => value !== undefined)
  const filtered = given.map(([name]) => ` AND ${FILTERS[name as keyof typeof FILTERS]}`).join('')
  const before = cursor === undefined ? '' : ' AND t.id < :cursor::uuid'
  const rows = await queryRows<{ id: string }>(
    pool,
    `SELECT t.id FROM ${kind} t WHERE ${sql}${filtered}${before} ORDER BY t.id DESC LIMIT :limit::int + 1`,
    { ...values, ...Object.fromEntries(given), limit, ...(cursor !== undefined && { cursor }) },
  )
  return rows.map(({ id }) => id)
}

function conditionOf({ accountId, siteIds, labels }: ScopedCaller, kind: ScopedResource) {
  const values = { accountId, siteIds, ...(kind === 'connect_link' && { labels }) }
  return { sql: `t.account_id = :accountId::uuid AND ${VISIBLE_WHEN[kind]}`, values }
}
