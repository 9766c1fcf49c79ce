import type { Pool } from 'pg'
import type { z } from 'zod'
import { execute } from '../database/statement.ts'
import type { Queryable } from '../database/transaction.ts'
import { tryLater } from '../errors.ts'
import { pluralize } from '../lib/text.ts'
import { lowestUuidAt } from '../lib/uuid.ts'
import type { Logger } from '../log/log.ts'
import type { Heartbeat } from './heartbeat.ts'
import type { DueDate } from './sweep.ts'

/** SQL expressions for the members of a payload. */
export type PayloadSql<Payload extends z.ZodObject> = { [Name in keyof z.input<Payload>]: string }

/** What the rows of a kind of job have in common, for those who plan one; a room registers what it does. */
export interface JobType<Payload extends z.ZodObject = z.ZodObject> {
  /** As it stands in the queue, also of jobs that another version of Galley has added. */
  name: string
  /** What it is told, and read by before it runs. */
  payload: Payload
  /** In SQL: of one queue one job runs at a time. Few for all jobs of a kind, since all queues are read. */
  queue?: (payload: PayloadSql<Payload>) => string
  /** In SQL: of one key one job waits, however often it is added. */
  key?: (payload: PayloadSql<Payload>) => string
  /** One that waits already keeps its place in the line. */
  keepsPlace?: boolean
  /** 25 unless given. */
  maxAttempts?: number
}

export const defineJob = <Payload extends z.ZodObject>(job: JobType<Payload>): JobType<Payload> => job

/** In SQL: which of so many lanes, each a queue, jobs with this id go into. */
export const laneOf = (id: string, lanes: number): string => `abs(hashtext(${id}::text) % ${lanes})`

/** Adds a job in the statement that stores what it is about. @param payload, inMs SQL expressions */
export function addJob<Payload extends z.ZodObject>(
  { name, queue, key, keepsPlace, maxAttempts }: JobType<Payload>,
  payload: PayloadSql<Payload>,
  inMs?: string,
): string {
  const members = Object.entries<string>(payload).map(([member, value]) => `'${member}', ${value}`)
  const options = [
    queue && `queue_name => ${queue(payload)}`,
    key && `job_key => ${key(payload)}`,
    keepsPlace && `job_key_mode => 'preserve_run_at'`,
    maxAttempts && `max_attempts => ${maxAttempts}`,
    inMs && `run_at => now() + ${inMs}::float8 * interval '1 millisecond'`,
  ]
  const call = [`'${name}'`, `json_build_object(${members.join(', ')})`, ...options.filter(Boolean)]
  return `graphile_worker.add_job(${call.join(', ')})`
}

/** Adds a job, perhaps in a transaction of `database`. @param inMs milliseconds before it may run */
export const enqueue = <Payload extends z.ZodObject>(
  database: Queryable,
  job: JobType<Payload>,
  payload: z.input<Payload>,
  inMs = 0,
): Promise<void> => enqueueMany(database, job, [payload], inMs)

/** Jobs in one statement: enough that it is fast, few enough that nobody waits for its end. */
const MANY = 1_000

/** Each call reads all that waits (graphile-worker 0.17.3): 30,000 calls take 100 s, one call one second. */
export async function enqueueMany<Payload extends z.ZodObject>(
  database: Queryable,
  { name, queue, key, keepsPlace = false, maxAttempts }: JobType<Payload>,
  payloads: readonly z.input<Payload>[],
  inMs = 0,
): Promise<void> {
  const members = Object.keys(payloads[0] ?? {}).map((member) => [member, `(payload ->> '${member}')`])
  const payload = Object.fromEntries(members) as PayloadSql<Payload>
  const spec = `:name, payload, ${queue?.(payload) ?? null}, now() + :inMs::float8 * interval '1 millisecond', :maxAttempts,
    ${key?.(payload) ?? null}, NULL, NULL`
  for (let from = 0; from < payloads.length; from += MANY) {
    const all = JSON.stringify(payloads.slice(from, from + MANY))
    await execute(
      database,
      `SELECT FROM graphile_worker.add_jobs((
         SELECT array_agg((${spec})::graphile_worker.job_spec) FROM json_array_elements(:all) AS payload
       ), :keepsPlace)`,
      { name, inMs, maxAttempts: maxAttempts ?? null, all, keepsPlace },
    )
  }
}

/** A condition: the queue has a job of this key that is so. */
const queueHas =
  (condition: string) =>
  <Payload extends z.ZodObject>(job: JobType<Payload>, payload: PayloadSql<Payload>): string =>
    `EXISTS (SELECT 1 FROM graphile_worker.jobs WHERE jobs.key = ${job.key?.(payload)} AND ${condition})`

/** A condition: a job of this key waits and may run now, so that another need not be added. */
export const isReadyInQueue = queueHas(
  'jobs.locked_at IS NULL AND jobs.attempts < jobs.max_attempts AND jobs.run_at <= now()',
)

/** A condition: a job of this key runs, or will. */
export const isQueuedOrRunning = queueHas('(jobs.locked_at IS NOT NULL OR jobs.attempts < jobs.max_attempts)')

/** A condition: a job of this key is in the queue, be it one that was tried too often. */
export const isInQueue = queueHas('true')

export interface Task {
  name: string
  /** @param payload as it stands in the queue, unread */
  run(payload: unknown): Promise<void>
  /** When one is added by itself, whichever process comes first; five fields as of cron, UTC. */
  timetable?: string
}

/** A task whose payload has been read by its schema when `run` sees it. */
export const createTask = <Payload extends z.ZodObject>(
  { name, payload }: JobType<Payload>,
  run: (payload: z.output<Payload>) => Promise<void>,
): Task => ({ name, run: async (told) => run(payload.parse(told)) })

/** A task that its timetable alone adds. */
export const createTimedTask = (name: string, timetable: string, run: () => Promise<unknown>): Task => ({
  name,
  timetable,
  run: async () => void (await run()),
})

/** Removes every night what is older than so many days; 0 keeps it for ever. @param purge says how much it removed */
export const createRetentionTask = (
  name: string,
  timetable: string,
  { retentionDays: days, log }: { retentionDays: number; log: Logger },
  purge: (days: number) => Promise<object>,
): Task =>
  createTimedTask(name, timetable, async () => {
    if (days > 0) log.info(await purge(days), `purged what is older than ${pluralize(days, 'day')}`)
  })

export type SweepStep = () => Promise<unknown>

/** What a room puts right from time to time; see `startSweeper`. */
export interface Sweep {
  /** What dead processes left. Only asked of a process that was itself heard long enough to call others dead. */
  afterDeaths?: SweepStep
  /** Columns that never lie further ahead than a bound; see `clampDueDates`. */
  dueDates?: readonly DueDate[]
  /** Twice a minute. */
  rarely?: readonly SweepStep[]
  /** Every round, after the others. */
  always?: readonly SweepStep[]
}

/** The process that works on jobs, as its tasks see it. */
export interface WorkingProcess {
  /** Resolves once the first beat is stored; no job runs before. */
  heartbeat: Promise<Heartbeat>
  /** Aborted when the process is asked to stop: what is under way finishes, nothing new is begun. */
  stopping: AbortSignal
}

/** What a room registers: the jobs it does, and what it puts right. */
export interface RoomWork {
  tasks: Task[]
  sweep?: Sweep
  /** Runs beside the queue until the process is asked to stop, and resolves when it has ended. It fails over nothing. */
  beside?: () => Promise<void>
}

/** A room, asked for its work by the process that is to do it. */
export type WorkFactory = (process: WorkingProcess) => RoomWork

const MAX_UNFINISHED_JOBS = 20

/** Milliseconds for which a job counts; an abandoned one must not lock anybody out. */
const COUNTED_FOR_MS = 3_600_000

/** A table of long jobs with ids of version 7 and a column `ended_at`. */
interface LongJobTable {
  table: 'bulk_job' | 'site_import'
  called: string
}

/** Limits an account's unfinished jobs of the last hour. @param id of the job to be stored @throws 429 `TOO_MANY_JOBS` */
export async function assertJobQuota(
  pool: Pool,
  { table, called }: LongJobTable,
  { id, accountId }: { id: string; accountId: string },
): Promise<void> {
  const rowCount = await execute(
    pool,
    `SELECT FROM ${table} WHERE account_id = :accountId AND id > :since AND ended_at IS NULL AND id <> :id
     ORDER BY id DESC LIMIT ${MAX_UNFINISHED_JOBS}`,
    { id, accountId, since: lowestUuidAt(Date.now() - COUNTED_FOR_MS) },
  )
  if (rowCount === MAX_UNFINISHED_JOBS)
    throw tryLater(
      'TOO_MANY_JOBS',
      `This account has ${MAX_UNFINISHED_JOBS} ${called} that have not ended, the most that it may have at once. Wait until one ends, then ask again.`,
      { httpStatus: 429, retryAfterMs: 10_000 },
    )
}

/** Requeues unfinished jobs that the queue does not know. @param payload SQL about `t`, a row of the table */
export async function requeueUnfinished<Payload extends z.ZodObject>(
  pool: Pool,
  { table }: LongJobTable,
  job: JobType<Payload>,
  payload: PayloadSql<Payload>,
): Promise<void> {
  await pool.query(
    `SELECT ${addJob(job, payload)} FROM ${table} t
     WHERE t.ended_at IS NULL AND ${IS_ACCOUNT_ENABLED('t.account_id')} AND NOT ${isInQueue(job, payload)}`,
  )
}

/** SQL: the account is enabled. Work of a disabled account waits. */
export const IS_ACCOUNT_ENABLED = (accountId: string): string =>
  `EXISTS (SELECT FROM account WHERE account.id = ${accountId} AND account.disabled_at IS NULL)`

/** Asked between the parts of long work. */
export async function isAccountEnabled(pool: Pool, accountId: string): Promise<boolean> {
  const rowCount = await execute(pool, `SELECT WHERE ${IS_ACCOUNT_ENABLED(':accountId::uuid')}`, {
    accountId,
  })
  return rowCount === 1
}
