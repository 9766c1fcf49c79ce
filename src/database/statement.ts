import type { Pool, QueryResultRow } from 'pg'
import { Coalescer } from '../lib/coalescer.ts'
import { databaseFailure } from './errors.ts'
import type { Queryable, RowSource } from './transaction.ts'

/** A statement as it is sent: its parameters by number. */
export interface Statement {
  text: string
  values: unknown[]
}

interface Prepared {
  text: string
  names: string[]
}

/** Texts that were read before; there are as many as the code has. */
const preparedStatements = new Map<string, Prepared>()

/** `:name`, and neither a cast (`::text`) nor what follows a word (`'a:b'`). */
const PARAMETER = /(^|[^:\w]):([a-z]\w*)/gi

/** A statement whose parameters have names, `:siteId`. @throws Error for a parameter without a value, or the reverse */
export function named(text: string, values: Record<string, unknown>): Statement {
  const statement = preparedStatements.get(text) ?? prepareStatement(text)
  preparedStatements.set(text, statement)
  for (const name of statement.names) if (!(name in values)) throw new Error(`:${name} has no value`)
  for (const name of Object.keys(values))
    if (!statement.names.includes(name)) throw new Error(`the statement has no :${name}`)
  return { text: statement.text, values: statement.names.map((name) => values[name]) }
}

/** Runs a statement with named parameters, see {@link named}. @returns its rows */
export async function queryRows<Row extends QueryResultRow>(
  database: RowSource,
  text: string,
  values: Record<string, unknown>,
): Promise<Row[]> {
  return (await database.query<Row>(named(text, values))).rows
}

/** Runs a statement with named parameters, see {@link named}. @returns how many rows it changed or found */
export async function execute(
  database: Queryable,
  text: string,
  values: Record<string, unknown>,
): Promise<number> {
  return (await database.query(named(text, values))).rowCount ?? 0
}

function prepareStatement(text: string): Prepared {
  const names: string[] = []
  const numbered = text.replace(PARAMETER, (_, before: string, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `${before}$${names.indexOf(name) + 1}`
  })
  return { text: numbered, names }
}

/** Without NUL, which no text holds, and halves of surrogate pairs, which jsonb refuses. */
export const storableText = (text: string): string =>
  Buffer.from(text, 'utf8').toString('utf8').replaceAll('\0', '\uFFFD')

/** A value as Prisma takes it for a jsonb column; see {@link storableText}. */
export const storableValue = <Value>(value: Value): Value => JSON.parse(storableJson(value))

/** As JSON writes what PostgreSQL does not take: NUL, and halves of surrogate pairs. */
const UNSTORABLE_ESCAPES = /\\u(?:0000|d[89a-f])/

/** A value as JSON that PostgreSQL takes; see {@link storableText}. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value)
  if (!UNSTORABLE_ESCAPES.test(json)) return json
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === 'string') return storableText(member)
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).map(([key, part]) => [storableText(key), part]))
  })
}

/** SQL of a time as answers write it. */
export const isoInstant = (time: string): string =>
  `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Conditions of a query and their parameters; `when` adds one, unless its parameter has no value. */
export function createConditions(parts: string[], values: Record<string, unknown>) {
  const when = (value: unknown, name: string, sql: string): void => {
    if (value === undefined || value === null) return
    parts.push(sql)
    values[name] = value
  }
  return { parts, values, when }
}

/** Rows of a statement about many: short enough that intake does not wait behind it. */
export const MANY_ROWS = 2_000

/** Repeats a statement about a batch of rows until it finds fewer. @returns how many it found in all */
export async function inBatches(batch: number, run: () => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const found = await run()
    total += found
    if (found < batch) return total
  }
}

const coalescers = new WeakMap<Pool, Coalescer>()

/** Asks for one item with those of the same name in the same tick; where the batch is refused, for each alone. */
export function batched<Item, Found>(
  pool: Pool,
  name: string,
  item: Item,
  many: (items: readonly Item[]) => Promise<readonly Found[]>,
  { most = 64, oneAtATime = false } = {},
): Promise<Found> {
  const coalescer = coalescers.get(pool) ?? new Coalescer()
  coalescers.set(pool, coalescer)
  const askMany = async (items: readonly Item[]) => {
    try {
      return await many(items)
    } catch (error) {
      const trouble = databaseFailure(error)
      // One bad item must not fail the others; nothing was stored.
      if (items.length === 1 || (trouble !== 'refused' && trouble !== 'conflict')) throw error
      return items.map(async (one) => (await many([one]))[0] as Found)
    }
  }
  return coalescer.ask(name, item, askMany, { most, oneAtATime })
}
