import type { Pool } from 'pg'
import { z } from 'zod'
import { boundedText, oneOrMany, singleLineText, uuid } from '../contract/scalars.ts'
import type { Database } from '../database/client.ts'
import { createConditions, queryRows } from '../database/statement.ts'
import { invalidCursor, type Page } from '../lib/paging.ts'
import { parseJson } from '../lib/text.ts'
import { siteReportSchema } from './health/report.ts'
import { siteStateSql, siteStates } from './health/state.ts'
import { readSites } from './registry.ts'
import { type SiteView, siteStateSchema } from './schema.ts'

export interface SiteListRequest {
  filter: SiteFilter
  /** The id if left out. */
  sort?: SiteSort | undefined
  limit: number
  /** Of the previous page, in the same order. */
  cursor?: string | undefined
}

/** Returns a page of the matching sites. @throws GalleyError 422 `CURSOR_UNFIT` */
export async function listSites(
  { pool }: Pick<Database, 'pool'>,
  scope: SiteScope,
  { filter, sort = 'id', limit, cursor }: SiteListRequest,
): Promise<Page<SiteView>> {
  const { sql, values } = siteCondition(scope, filter)
  const order = siteOrder(sort, cursor)
  const found = await queryRows<{ id: string; key: unknown }>(
    pool,
    `SELECT s.id, ${order.key} AS key FROM site s WHERE ${sql} AND ${order.after}
     ORDER BY ${order.orderBy} LIMIT ${limit + 1}`,
    { ...values, ...order.values },
  )
  const page = found.slice(0, limit)
  const ids = page.map(({ id }) => id)
  const last = found.length > limit ? page.at(-1) : undefined
  return {
    items: await readSites(pool, scope.accountId, ids),
    nextCursor: last ? order.cursorOf(last) : null,
  }
}

/** Counts the matching sites; an account has few enough to count. */
export async function countSites({ pool }: Pick<Database, 'pool'>, scope: SiteScope, filter: SiteFilter) {
  const { sql, values } = siteCondition(scope, filter)
  const rows = await queryRows<{ count: number }>(
    pool,
    `SELECT count(*)::int AS count FROM site s WHERE ${sql}`,
    values,
  )
  return rows[0]?.count ?? 0
}

/** Filter of sites: in the query of a list, and in the JSON of bulk actions. */
export const siteFilterSchema = z.strictObject({
  site_id: oneOrMany(uuid).optional().describe('One of these sites.'),
  label: singleLineText(100).optional(),
  state: oneOrMany(siteStateSchema).optional(),
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
  search: singleLineText(200)
    .optional()
    .describe('Text that the name or the address has, whatever its case.'),
})

export type SiteFilter = z.output<typeof siteFilterSchema>

/** The sites that a caller may see: all of an account, or some. */
export interface SiteScope {
  accountId: string
  /** Null for all sites. */
  siteIds: string[] | null
}

/** SQL: `s`, a row of `site`, is in the scope and matches the filter. `values` has all parameters, with `:accountId`. */
export function siteCondition(
  { accountId, siteIds }: SiteScope,
  filter: SiteFilter,
): { sql: string; values: Record<string, unknown> } {
  const { parts, values, when } = createConditions(['s.account_id = :accountId'], { accountId })
  when(siteIds, 'seenSites', 's.id = ANY (:seenSites::uuid[])')
  when(filter.site_id, 'ofSites', 's.id = ANY (:ofSites::uuid[])')
  when(filter.label, 'ofLabel', ':ofLabel = ANY (s.labels)')
  when(filter.state, 'inStates', `${siteStateSql('s')} = ANY (:inStates::text[])`)
  when(filter.level, 'atLevel', `s.report_at IS NOT NULL AND s.report ->> 'level' = :atLevel`)
  when(filter.finding, 'ofFinding', HAS_FINDING)
  when(filter.trouble, 'inTrouble', `s.trouble IS NOT NULL AND s.trouble ->> 'code' = :inTrouble::text`)
  when(
    filter.search,
    'ofSearch',
    '(strpos(lower(s.name), lower(:ofSearch::text)) > 0 OR strpos(lower(s.url), lower(:ofSearch::text)) > 0)',
  )
  return { sql: parts.map((part) => `(${part})`).join(' AND '), values }
}

const HAS_FINDING = `s.report_at IS NOT NULL AND EXISTS (
  SELECT FROM jsonb_array_elements(s.report -> 'findings') f
  WHERE f ->> 'check' = :ofFinding::text AND f ->> 'level' <> 'ok')`

const siteSorts = ['name', 'state', 'created'] as const
type SortKey = (typeof siteSorts)[number]

/** Sort order of sites; ties are ordered by id. */
export const siteSortSchema = z
  .enum([...siteSorts, '-name', '-state', '-created'])
  .describe(
    'By name, by how much a site needs somebody, or by when it was connected; with `-` the other way round. By id if left out.',
  )

type SiteSort = z.output<typeof siteSortSchema> | 'id'

/** Sites that need somebody come first. */
const URGENCY = `array_position(ARRAY[${siteStates.map((state) => `'${state}'`).join(', ')}], ${siteStateSql('s')})`

/** For each sort: the SQL expression on `s`, its type, and the schema of its value in a cursor. */
const SORT_COLUMNS = {
  id: { sql: 's.id', type: 'uuid', schema: z.guid() },
  name: { sql: 'lower(s.name)', type: 'text', schema: boundedText(2_000) },
  state: { sql: URGENCY, type: 'int', schema: z.int().min(0).max(9) },
  created: {
    sql: '(extract(epoch FROM s.created_at) * 1000)::bigint::float8',
    type: 'float8',
    schema: z.int(),
  },
} satisfies Record<SortKey | 'id', { sql: string; type: string; schema: z.ZodType }>

/** The order of a list, from a cursor on; a site renamed meanwhile may be missed. @throws 422 `CURSOR_UNFIT` */
function siteOrder(sort: SiteSort, cursor: string | undefined) {
  const descending = sort.startsWith('-')
  const { sql, type, schema } = SORT_COLUMNS[sort.replace('-', '') as SortKey | 'id']
  const direction = descending ? 'DESC' : 'ASC'
  const order = {
    key: sql,
    orderBy: `${sql} ${direction}, s.id ${direction}`,
    cursorOf: ({ id, key }: { id: string; key: unknown }) =>
      Buffer.from(JSON.stringify([sort, key, id])).toString('base64url'),
  }
  if (cursor === undefined) return { ...order, after: 'true', values: {} }
  const json = parseJson(Buffer.from(cursor, 'base64url').toString())
  const { data } = z.tuple([z.literal(sort), schema, z.guid()]).safeParse(json)
  if (data === undefined) throw invalidCursor()
  const [, key, after] = data
  return {
    ...order,
    after: `(${sql}, s.id) ${descending ? '<' : '>'} (:key::${type}, :after::uuid)`,
    values: { key, after },
  }
}

/** A label with the number of its sites. */
export const labelSchema = z
  .object({ label: z.string(), site_count: z.int() })
  .meta({ id: 'Label', description: 'A label, with how many sites have it.' })

const MAX_LABELS_LISTED = 1_000

/** Labels of the visible sites with this text in them, the most used first. @returns `more` where there are too many to list */
export async function listLabels(
  { pool }: Pick<Database, 'pool'>,
  scope: SiteScope,
  search = '',
): Promise<{ labels: z.output<typeof labelSchema>[]; more: boolean }> {
  const { sql, values } = siteCondition(scope, {})
  const rows = await queryRows<z.output<typeof labelSchema>>(
    pool,
    `SELECT label, count(*)::int AS site_count FROM site s, unnest(s.labels) AS label WHERE ${sql} AND strpos(lower(label), lower(:search)) > 0
     GROUP BY label ORDER BY site_count DESC, label LIMIT ${MAX_LABELS_LISTED + 1}`,
    { ...values, search },
  )
  return { labels: rows.slice(0, MAX_LABELS_LISTED), more: rows.length > MAX_LABELS_LISTED }
}

/** Sites that a request names. */
export interface SiteChoice {
  site_ids?: string[] | undefined
  labels?: string[] | undefined
}

/** Ids of the visible sites that are named or have one of the labels; of all where neither is given. @param limit the most ids */
export async function selectSites(
  pool: Pool,
  scope: SiteScope,
  { site_ids: siteIds, labels }: SiteChoice,
  limit: number,
): Promise<string[]> {
  const { sql, values } = siteCondition(scope, {})
  const rows = await queryRows<{ id: string }>(
    pool,
    `SELECT s.id FROM site s WHERE ${sql}
       AND (:siteIds::uuid[] IS NULL AND :labels::text[] IS NULL OR s.id = ANY (:siteIds) OR s.labels && :labels)
     ORDER BY s.id LIMIT :limit`,
    { ...values, siteIds: siteIds ?? null, labels: labels ?? null, limit },
  )
  return rows.map(({ id }) => id)
}
