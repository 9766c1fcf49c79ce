import type { z } from 'zod'
import { named } from '../database/named.ts'
import type { Queryable } from '../database/transaction.ts'

/** SQL expressions for the members of a payload. */
export type Expressions<Payload extends z.ZodObject> = { [Name in keyof z.input<Payload>]: string }

/**
 * A kind of job: what its rows in the queue have in common. Whoever plans one needs this and not what it does, which
 * the room it belongs to registers (task.ts).
 */
export interface Job<Payload extends z.ZodObject = z.ZodObject> {
  /** As it stands in the queue, also of jobs that another version of Galley has added. */
  name: string
  /** What it is told, and read by before it runs. */
  payload: Payload
  /** Name of the queue, in SQL: of one queue one job runs at a time. Without one it runs beside all others. */
  queue?: (payload: Expressions<Payload>) => string
  /** In SQL: of one key one job waits, however often it is added. */
  key?: (payload: Expressions<Payload>) => string
  /** One that waits already keeps its place in the line. */
  keepsPlace?: boolean
  /** 25 unless given. */
  maxAttempts?: number
}

/** Says what a kind of job is; see {@link Job}. */
export const defineJob = <Payload extends z.ZodObject>(job: Job<Payload>): Job<Payload> => job

/**
 * A call that adds a job, for a statement that stores what the job is about: both are stored, or neither.
 *
 * @param payload SQL expressions, each of the type that JSON is to have
 * @param inMs an SQL expression too: milliseconds from now before which it does not run
 */
export function addJob<Payload extends z.ZodObject>(
  job: Job<Payload>,
  payload: Expressions<Payload>,
  inMs?: string,
): string {
  const members = Object.entries<string>(payload).map(([name, value]) => `'${name}', ${value}`)
  return call(job, `json_build_object(${members.join(', ')})`, payload, inMs)
}

/**
 * Adds a job by itself, or in the transaction that `database` is in.
 *
 * @param inMs milliseconds from now before which it does not run
 */
export async function enqueue<Payload extends z.ZodObject>(
  database: Queryable,
  job: Job<Payload>,
  payload: z.input<Payload>,
  inMs = 0,
): Promise<void> {
  const members = Object.keys(payload).map((name) => [name, `(:payload::json ->> '${name}')`])
  const added = call(job, ':payload::json', Object.fromEntries(members) as Expressions<Payload>, ':inMs')
  await database.query(named(`SELECT ${added}`, { payload: JSON.stringify(payload), inMs }))
}

/** A condition: a job of this key waits and may run now, so that another need not be added. */
export const isWaiting = <Payload extends z.ZodObject>(
  job: Job<Payload>,
  payload: Expressions<Payload>,
): string =>
  `EXISTS (
    SELECT 1 FROM graphile_worker.jobs
    WHERE jobs.key = ${job.key?.(payload)} AND jobs.locked_at IS NULL AND jobs.attempts < jobs.max_attempts
      AND jobs.run_at <= now())`

/** A condition: a job of this key runs, or will. */
export const isPlanned = <Payload extends z.ZodObject>(
  job: Job<Payload>,
  payload: Expressions<Payload>,
): string =>
  `EXISTS (
    SELECT 1 FROM graphile_worker.jobs
    WHERE jobs.key = ${job.key?.(payload)} AND (jobs.locked_at IS NOT NULL OR jobs.attempts < jobs.max_attempts))`

/** A condition: a job of this key is in the queue, be it one that was tried too often. */
export const isKnown = <Payload extends z.ZodObject>(
  job: Job<Payload>,
  payload: Expressions<Payload>,
): string => `EXISTS (SELECT 1 FROM graphile_worker.jobs WHERE jobs.key = ${job.key?.(payload)})`

function call<Payload extends z.ZodObject>(
  { name, queue, key, keepsPlace, maxAttempts }: Job<Payload>,
  json: string,
  payload: Expressions<Payload>,
  inMs: string | undefined,
): string {
  const options = [
    queue && `queue_name => ${queue(payload)}`,
    key && `job_key => ${key(payload)}`,
    keepsPlace && `job_key_mode => 'preserve_run_at'`,
    maxAttempts && `max_attempts => ${maxAttempts}`,
    inMs && `run_at => now() + ${inMs}::float8 * interval '1 millisecond'`,
  ]
  return `graphile_worker.add_job(${[`'${name}'`, json, ...options.filter(Boolean)].join(', ')})`
}
