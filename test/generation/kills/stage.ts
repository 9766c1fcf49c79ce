import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { pino } from 'pino'
import { expect } from 'vitest'
import { createAccount } from '../../../src/accounts/accounts.ts'
import { grantCredits } from '../../../src/accounts/credits.ts'
import type { JobKind, RequestByKind } from '../../../src/contract/generation/requests.ts'
import { openDatabase } from '../../../src/database/client.ts'
import { createJob } from '../../../src/generation/api/create.ts'
import { defaultPrices } from '../../../src/generation/api/prices.ts'
import { bundleProgram, type GalleyChild, startChild } from '../../faults/stage/child.ts'
import { quickTiming } from '../../faults/stage/timing.ts'
import { freshDatabase } from '../../support/database/fresh-database.ts'
import { someProviders } from '../providers.ts'
import { documentRequest, image } from '../requests.ts'

/** Where a process is with a part of a job. */
export type Point = 'intended' | 'sent' | 'answered' | 'stored' | 'ending'

export interface At {
  point: Point
  job: string
  part: string
  /** The process that asks. */
  place: number
  /** Whether its process ended twice over the job already: it is alone there, and a third time would be the end of it. */
  unfair: boolean
}

/** A request that the provider took: it is paid, whether or not anybody hears the answer. */
interface Paid {
  job: string
  part: string
  key: string
}

/** Processes that work on jobs and are started again whenever they end, and the provider that they ask. */
export interface KillStage {
  pool: Pool
  paid: Paid[]
  /** Parts whose request was under way when its process was killed, as `job part`. */
  inFlight: string[]
  /** How often a process ended. */
  ends(): number
  /** Decides at each point whether the process there is killed, or asked to stop; none is unless it says so. */
  killAt(decide: (at: At) => boolean, how?: 'SIGKILL' | 'SIGTERM'): void
  /** Which jobs the provider declines. */
  declines: Set<string>
  create<Kind extends JobKind>(kind: Kind, request: RequestByKind[Kind]): Promise<string>
  document(): Promise<string>
  image(prompt: string): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: what is in the row is what the test looks at
  ended(id: string, seconds?: number): Promise<any>
  /** What does not agree about credits, calls and parts; empty lists where all does. */
  drift(): Promise<Record<string, unknown[]>>
  stop(): Promise<void>
}

export async function startKillStage(processes: number): Promise<KillStage> {
  const { connectionString, drop } = await freshDatabase()
  const pool = new Pool({ connectionString, max: 4 })
  const database = openDatabase({ connectionString, poolSize: 2, log: pino({ level: 'silent' }) })
  const { account } = await createAccount(database.pool, { name: 'writers' })
  await database.close()
  const accountId = account.id
  await pool.query('UPDATE account SET unlimited = false WHERE id = $1', [accountId])
  await grantCredits(pool, { accountId, amount: 1_000_000 })
  const dataDir = await mkdtemp(join(tmpdir(), 'galley-kills-'))
  const program = await bundleProgram('test/generation/kills/worker-process.ts')

  const paid: Paid[] = []
  const inFlight: string[] = []
  const declines = new Set<string>()
  let decide: (at: At) => boolean = () => false
  let how: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'
  let over = false
  let ends = 0
  const children: GalleyChild[] = []
  /** Requests to the provider that are under way, by process. */
  const underWay = new Map<number, Set<string>>()
  /** Those that were killed, until another is in their place. */
  const dead = new Set<GalleyChild>()

  /** Whether the process is killed here; one that is asked to stop goes on. */
  const killed = (at: At): boolean => {
    const child = children[at.place]
    if (over || child === undefined || dead.has(child) || !decide(at)) return false
    child.kill(how)
    if (how === 'SIGTERM') return false
    dead.add(child)
    inFlight.push(...(underWay.get(at.place) ?? []))
    underWay.delete(at.place)
    return true
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, place = '', what, ...rest] = (request.url ?? '').split('/')
    const [point, job = '', part = ''] = what === 'at' ? rest : ['sent', ...rest]
    const { rows } = await pool.query('SELECT crashes FROM generation_job WHERE id = $1', [job])
    const unfair = rows[0].crashes >= 2
    const at: At = { point: point as Point, job, part, place: Number(place), unfair }
    // Two processes never work on one job: a part is under way from its intent to its storing.
    const parts = underWay.get(at.place) ?? new Set<string>()
    underWay.set(at.place, parts)
    const declined = at.point === 'sent' && declines.has(job)
    if (at.point === 'intended') parts.add(`${job} ${part}`)
    if (at.point === 'stored' || declined) parts.delete(`${job} ${part}`)
    if (at.point === 'sent' && !declined)
      paid.push({ job, part, key: String(request.headers['idempotency-key']) })
    if (killed(at)) return
    response.statusCode = declined ? 422 : 200
    response.end(`${part} of ${job}`)
  }
  const server = createServer((request, response) => {
    // A process that is gone, and a stage that is over, hear nothing.
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const running = Array.from({ length: processes }, async (_, place) => {
    const env = {
      DATABASE_URL: connectionString,
      GALLEY_DATA_DIR: dataDir,
      STAGE: `http://127.0.0.1:${port}/${place}`,
    }
    while (!over) {
      const child = await startChild(program, { env, timing: quickTiming })
      children[place] = child
      if (over) child.kill('SIGTERM')
      await child.exited
      ends += 1
    }
  })

  const create: KillStage['create'] = (kind, request) =>
    createJob(
      { pool, providers: someProviders, prices: defaultPrices },
      { accountId, kind, request, idempotencyKey: undefined, check: async () => undefined },
    )
  const job = async (id: string) =>
    (await pool.query('SELECT * FROM generation_job WHERE id = $1', [id])).rows[0]
  return {
    ...{ pool, paid, inFlight, declines, create },
    ends: () => ends,
    killAt: (decides, by = 'SIGKILL') => {
      decide = decides
      how = by
    },
    document: () => create('document', documentRequest({ image: { enabled: true, model: 'standard' } })),
    image: (prompt) => create('image', image(prompt)),
    async ended(id, seconds = 120) {
      await expect
        .poll(async () => (await job(id)).ended_at, { timeout: seconds * 1_000, interval: 50 })
        .not.toBeNull()
      return job(id)
    },
    drift: () => drift(pool),
    async stop() {
      over = true
      for (const child of children) child.kill('SIGTERM')
      await Promise.all(running)
      server.closeAllConnections()
      server.close()
      await pool.end()
      await drop()
      await rm(dataDir, { recursive: true })
    },
  }
}

/** What must be empty once all jobs have ended, whatever happened on the way. */
async function drift(pool: Pool): Promise<Record<string, unknown[]>> {
  const rowsOf = async (sql: string) => (await pool.query(sql)).rows
  return {
    balances: await rowsOf(
      `SELECT id, credits, (SELECT coalesce(sum(amount), 0)::int FROM credit_entry WHERE account_id = account.id) AS sum
       FROM account WHERE credits <> (SELECT coalesce(sum(amount), 0) FROM credit_entry WHERE account_id = account.id)`,
    ),
    // A job that was made costs its price, one that failed nothing.
    jobs: await rowsOf(
      `SELECT j.id, j.status, sum(e.amount) FROM generation_job j LEFT JOIN credit_entry e ON e.job_id = j.id
       GROUP BY j.id HAVING coalesce(sum(e.amount), 0) <> CASE j.status WHEN 'completed' THEN -j.price ELSE 0 END`,
    ),
    unended: await rowsOf(
      'SELECT id, status FROM generation_job WHERE ended_at IS NULL OR leased_by IS NOT NULL OR due_at IS NOT NULL',
    ),
    calls: await rowsOf(`SELECT id FROM generation_call WHERE outcome = 'in_flight'`),
    // One answer of a part, and no more.
    answers: await rowsOf(
      `SELECT job_id, part FROM generation_call WHERE outcome = 'answered' GROUP BY job_id, part HAVING count(*) > 1`,
    ),
  }
}

/** What {@link KillStage.drift} finds where nothing has drifted. */
export const noDrift = { balances: [], jobs: [], unended: [], calls: [], answers: [] }
