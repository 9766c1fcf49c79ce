import type { Pool } from 'pg'
import { createConditions, execute, queryRows } from '../database/statement.ts'
import { type Page, type PageRequest, toPage } from '../lib/paging.ts'
import type { Caller } from './authenticate.ts'

/** Of what a key that is limited to some sites sees a part only. */
export type ScopedResource = 'site_import' | 'event' | 'connect_link' | 'notification' | 'generation_job'

type ScopedCaller = Pick<Caller, 'accountId' | 'siteIds' | 'labels'>

/** A document that is not for any site, or for one of these. */
const JOB_IS_VISIBLE = (job: string) =>
  `(${job}.request #>> '{delivery,id}' IS NULL OR ${job}.request #>> '{delivery,id}' = ANY (:siteIds::text[]))`

/**
 * When a row `t` is about one of the sites `:siteIds`. An event is as the newest of a delivery, or the one on the site; a link
 * also by the id or labels that its site is to have. Subqueries and no EXISTS: of that PostgreSQL makes a table of all jobs.
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

/** By the names of a list's filters. */
const FILTERS: Record<ScopedResource, Readonly<Record<string, string>>> = {
  site_import: {},
  event: { status: 't.status = :status::text' },
  connect_link: {
    status: `CASE WHEN t.used_at IS NOT NULL THEN 'used' WHEN t.revoked_at IS NOT NULL THEN 'revoked'
      WHEN t.expires_at <= now() THEN 'expired' ELSE 'open' END = ANY (:status::text[])`,
  },
  notification: {
    status: 't.status = :status::text',
    subject_id: 't.subject_id = :subject_id::uuid',
    receiver_id: 't.receiver_id = :receiver_id::uuid',
    event: 't.event = :event::text',
  },
  generation_job: {
    kind: 't.kind = :kind::text',
    status: 't.status = ANY (:status::text[])',
    search: `strpos(lower(concat_ws(' ', t.id, t.result ->> 'title', t.request ->> 'prompt', t.request ->> 'text')),
      lower(:search::text)) > 0`,
  },
}

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

/** A page of what a key sees and the filters choose, the newest first. @param read reads those ids, the newest first */
export async function listVisible<View>(
  pool: Pool,
  caller: ScopedCaller,
  kind: ScopedResource,
  { limit, cursor, ...filters }: PageRequest & Record<string, unknown>,
  read: (ids: string[]) => Promise<View[]>,
): Promise<Page<View>> {
  const { sql, values } = conditionOf(caller, kind)
  const conditions = createConditions([sql], values)
  conditions.when(cursor, 'cursor', 't.id < :cursor::uuid')
  for (const [name, value] of Object.entries(filters))
    conditions.when(value, name, FILTERS[kind][name] as string)
  const rows = await queryRows<{ id: string }>(
    pool,
    `SELECT t.id FROM ${kind} t WHERE ${conditions.parts.join(' AND ')} ORDER BY t.id DESC LIMIT :limit::int + 1`,
    { ...conditions.values, limit },
  )
  const { items, nextCursor } = toPage(rows, limit, ({ id }) => id)
  return { items: await read(items), nextCursor }
}

function conditionOf({ accountId, siteIds, labels }: ScopedCaller, kind: ScopedResource) {
  const account = 't.account_id = :accountId::uuid'
  if (siteIds === null) return { sql: account, values: { accountId } }
  const values = { accountId, siteIds, ...(kind === 'connect_link' && { labels }) }
  return { sql: `${account} AND ${VISIBLE_WHEN[kind]}`, values }
}
