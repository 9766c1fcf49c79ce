import { z } from 'zod'
import { text } from '../contract/text.ts'
import { cursorUnfit } from '../paging.ts'
import { siteStatusSql } from './filter.ts'

const sorts = ['name', 'status', 'created'] as const
type Key = (typeof sorts)[number]

/** In which order sites are listed: what has none is in the order of their ids. */
export const siteSortSchema = z
  .enum([...sorts, '-name', '-status', '-created'])
  .describe(
    'By name, by how much a site needs somebody, or by when it was connected; with `-` the other way round. By id if left out.',
  )

export type SiteSort = z.output<typeof siteSortSchema>

/** What needs somebody comes first. */
const URGENCY = `array_position(ARRAY['needs_owner', 'problem', 'paused', 'stopped', 'connected'], ${siteStatusSql})`

/** By what a row `s` of `site` is compared, the type of it, and what such a value is in a cursor. */
const KEYS = {
  name: { sql: 'lower(s.name)', type: 'text', schema: text(2_000) },
  status: { sql: URGENCY, type: 'int', schema: z.int().min(0).max(9) },
  created: {
    sql: '(extract(epoch FROM s.created_at) * 1000)::bigint::float8',
    type: 'float8',
    schema: z.int(),
  },
} satisfies Record<Key, { sql: string; type: string; schema: z.ZodType }>

export interface SiteOrder {
  /** An expression of what the order goes by, beside the id. */
  key: string
  /** The condition that `s` comes after the place of the cursor. */
  after: string
  /** Without the words. */
  orderBy: string
  values: Record<string, unknown>
  /** The cursor of the page that ends with this row. */
  cursorOf(last: { id: string; key: unknown }): string
}

/**
 * The order of a list of sites, from the place where a page ended. A site that is renamed meanwhile may be seen twice, or
 * not at all; by id, none is.
 *
 * @throws GalleyError 422 `CURSOR_UNFIT`
 */
export function siteOrder(sort: SiteSort | undefined, cursor: string | undefined): SiteOrder {
  if (sort === undefined) {
    return {
      key: 'NULL',
      after: cursor === undefined ? 'true' : 's.id > :after',
      orderBy: 's.id',
      values: cursor === undefined ? {} : { after: read(z.guid(), cursor) },
      cursorOf: ({ id }) => id,
    }
  }
  const [descending, name] = sort.startsWith('-') ? [true, sort.slice(1) as Key] : [false, sort as Key]
  const { sql, type, schema } = KEYS[name]
  const direction = descending ? 'DESC' : 'ASC'
  const common = {
    key: sql,
    orderBy: `${sql} ${direction}, s.id ${direction}`,
    cursorOf: ({ id, key }: { id: string; key: unknown }) =>
      Buffer.from(JSON.stringify([sort, key, id])).toString('base64url'),
  }
  if (cursor === undefined) return { ...common, after: 'true', values: {} }
  const [, key, after] = read(z.tuple([z.literal(sort), schema, z.guid()]), decoded(cursor))
  return {
    ...common,
    after: `(${sql}, s.id) ${descending ? '<' : '>'} (:key::${type}, :after::uuid)`,
    values: { key, after },
  }
}

/** The value of a cursor; undefined where it has none. */
function decoded(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return undefined
  }
}

function read<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const { success, data } = schema.safeParse(value)
  if (success) return data
  throw cursorUnfit()
}
