import type { Pool } from 'pg'
import { execute, named } from '../database/statement.ts'
import type { Queryable } from '../database/transaction.ts'

/** Rows that one process works on: a claim raises `fence`, and writes with an older one change nothing. In SQL, `w`. */
export interface LeasedTable {
  table: string
  /** A condition: a process holds the row. */
  isHeld: string
  /** Columns by which several rows are locked, the same everywhere: two statements would otherwise wait for each other. */
  lockOrder: string
  /** When a claim ends by itself. */
  expires: 'due_at' | 'leased_until'
  /** Assignments that make a row free for the next claim, beside that of `leased_by`. */
  free: string
  takeOver: {
    /** Assignments from `a`, where `a.died` says that the process ended without having been asked to, beside `leased_by`. */
    sets: string
    returning?: string
    /** CTEs that read `taken`, each after a comma, and the statement. */
    more?: string
  }
  /** A condition: the process that `w.leased_by` names is alive; by its heartbeat where left out. */
  isAlive?: string
}

/** A row that this process has claimed and still works on. */
export interface Lease {
  readonly of: LeasedTable
  readonly id: string
  readonly fence: number
  /** Hears that the claim still counted at this moment (`monotonicNow()`). */
  confirm?(at: number): void
  /** Hears that it counts no more. */
  lose?(): void
}

/** SQL: when a claim that begins or is renewed now ends by itself. */
export const LEASE_END = 'now() + make_interval(secs => :leaseS)'

/** Assignments of a claim, beside its end: no earlier claim of the row may write from now on. @param row its alias */
export const claimedBy = (row: string): string => `fence = ${row}.fence + 1, leased_by = :worker`

/** Locks, in order, those rows of `asked` whose claim still counts. @param asked has `id` and `fence` */
export const selectHeld = (
  { table, isHeld, lockOrder }: LeasedTable,
  asked: string,
  { columns = 'w.id', lock = 'UPDATE' } = {},
): string => `SELECT ${columns} FROM ${asked} JOIN ${table} w ON w.id = asked.id AND w.fence = asked.fence AND ${isHeld}
  ORDER BY ${lockOrder} FOR ${lock} OF w`

/** Many writes as one relation. @param casts its columns with their types @returns a SELECT, and its parameters */
export function selectAsked<Write>(
  casts: Readonly<Record<string, string>>,
  all: readonly Write[],
  valueIn: (write: Write, column: string) => unknown,
): { asked: string; values: Record<string, unknown> } {
  const names = Object.keys(casts)
  const arrays = names.map((name) => `:${name}_of::${casts[name]}[]`)
  return {
    asked: `SELECT * FROM unnest(${arrays.join(', ')}) AS asked (${names.join(', ')})`,
    values: Object.fromEntries(names.map((name) => [`${name}_of`, all.map((one) => valueIn(one, name))])),
  }
}

/** Renews leases whose claims count. @returns their ids; one stored later than `deadAfterS` proves nothing */
export async function renewLeases(
  pool: Pool,
  of: LeasedTable,
  leases: readonly Pick<Lease, 'id' | 'fence'>[],
  { leaseS, deadAfterS }: { leaseS: number; deadAfterS: number },
): Promise<Set<string>> {
  const { rows } = await pool.query<{ id: string }>({
    name: `renew-${of.table}`,
    ...named(
      `UPDATE ${of.table} w SET ${of.expires} = ${LEASE_END}
       FROM (${selectHeld(of, 'unnest(:ids::uuid[], :fences::int[]) AS asked (id, fence)')}) held
       WHERE w.id = held.id RETURNING w.id`,
      { ids: leases.map(({ id }) => id), fences: leases.map(({ fence }) => fence), leaseS },
    ),
    // It must not keep a connection from the next.
    query_timeout: deadAfterS * 1000,
  })
  return new Set(rows.map(({ id }) => id))
}

/** Gives back what `worker` still holds of these: others may claim it at once. */
export async function releaseLeases(
  pool: Pool,
  { table, isHeld, lockOrder, free }: LeasedTable,
  worker: string,
  ids: readonly string[],
): Promise<void> {
  await execute(
    pool,
    `WITH held AS (
       SELECT w.id FROM ${table} w WHERE w.leased_by = :worker AND ${isHeld} AND w.id = ANY (:ids::uuid[])
       ORDER BY ${lockOrder} FOR UPDATE
     )
     UPDATE ${table} w SET ${free}, leased_by = NULL FROM held WHERE w.id = held.id`,
    { worker, ids },
  )
}

const isBeating = (orStopping = ''): string =>
  `EXISTS (SELECT FROM worker_process p WHERE p.id = w.leased_by
     AND (p.beat_at > now() - make_interval(secs => :deadAfterS)${orStopping}))`

/**
 * Takes over what nobody works on any more; rows that somebody else locks wait for the next time. Where processes are known by
 * their heartbeat, only one that was itself heard for long enough may ask: after a gap of the database everybody's beat is old.
 * @param values of the parameters that the description of the table names; `deadAfterS` where heartbeats count
 */
export async function reclaimAbandoned(
  database: Queryable,
  { table, isHeld, lockOrder, expires, takeOver, isAlive }: LeasedTable,
  values: Record<string, unknown> = {},
): Promise<void> {
  const { sets, returning = 'w.id', more = 'SELECT FROM taken' } = takeOver
  const died = isAlive === undefined ? `NOT ${isBeating(' OR p.stopping_at IS NOT NULL')}` : `NOT ${isAlive}`
  await database.query({
    name: `take-over-${table}`,
    ...named(
      `WITH abandoned AS (
         SELECT w.id, w.leased_by IS NOT NULL AND ${died} AS died FROM ${table} w
         WHERE ${isHeld} AND (w.${expires} <= now() OR NOT ${isAlive ?? isBeating()})
         ORDER BY ${lockOrder} FOR UPDATE OF w SKIP LOCKED
       ), taken AS (
         UPDATE ${table} w SET ${sets}, leased_by = NULL FROM abandoned a WHERE w.id = a.id RETURNING ${returning}
       )${more}`,
      values,
    ),
  })
}
