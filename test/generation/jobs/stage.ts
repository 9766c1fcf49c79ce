import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { pino } from 'pino'
import { expect } from 'vitest'
import { createAccount } from '../../../src/accounts/accounts.ts'
import { grantCredits } from '../../../src/accounts/credits.ts'
import { createByteBudget } from '../../../src/bytes/budget.ts'
import type { JobKind, RequestByKind } from '../../../src/contract/generation/requests.ts'
import { openDatabase } from '../../../src/database/client.ts'
import { createJob } from '../../../src/generation/api/create.ts'
import { defaultPrices } from '../../../src/generation/api/prices.ts'
import { GenerationError } from '../../../src/generation/failure.ts'
import type { JobSteps } from '../../../src/generation/jobs/job-run.ts'
import type { JobBudget } from '../../../src/generation/jobs/provider-call.ts'
import type { Providers } from '../../../src/generation/providers/types.ts'
import type { S3Settings } from '../../../src/generation/storage/blobs.ts'
import {
  createStorage,
  type Storage,
  type StorageMaintenance,
} from '../../../src/generation/storage/storage.ts'
import { generationWork } from '../../../src/generation/work.ts'
import { internalIntake } from '../../../src/intake/direct.ts'
import type { Timing } from '../../../src/jobs/heartbeat.ts'
import { startJobs } from '../../../src/jobs/runner.ts'
import type { Logger } from '../../../src/log/log.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { quickTiming } from '../../faults/stage/timing.ts'
import { freshDatabase } from '../../support/database/fresh-database.ts'
import { someProviders } from '../providers.ts'

const silent = pino({ level: process.env.TEST_LOG_LEVEL ?? 'fatal' })

const unasked = (): never => {
  throw new Error('the steps of a test ask for themselves')
}

/** Galley's work on jobs, in this process, with an account that has a limit and credits. */
export interface Stage {
  pool: Pool
  storage: Storage & StorageMaintenance
  accountId: string
  create<Kind extends JobKind>(kind: Kind, request: RequestByKind[Kind]): Promise<string>
  /** The row of a job. */
  // biome-ignore lint/suspicious/noExplicitAny: what is in the row is what the test looks at
  job(id: string): Promise<any>
  /** The same, once the job has ended. */
  ended(id: string): ReturnType<Stage['job']>
  calls(
    id: string,
  ): Promise<{ part: string; provider: string; outcome: string; twice: boolean; same: boolean }[]>
  events(id: string): Promise<{ event: string; body: Record<string, unknown> }[]>
  /** The balance of the account, and the sum of its ledger. */
  credits(): Promise<{ balance: number; sum: number }>
  stop(): Promise<void>
}

export async function startStage(
  steps: Partial<JobSteps>,
  {
    timing = quickTiming,
    budgetOfJob = { calls: 50, micros: 1_000_000 },
    s3,
    providers = someProviders,
    log = silent,
  }: {
    timing?: Timing
    budgetOfJob?: JobBudget
    s3?: S3Settings
    providers?: Providers
    log?: Logger
  } = {},
): Promise<Stage> {
  const { connectionString, drop } = await freshDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'galley-jobs-'))
  const database = openDatabase({ connectionString, poolSize: 10, log })
  const pool = new Pool({ connectionString, max: 4 })
  const { account } = await createAccount(database.pool, { name: 'writers' })
  const accountId = account.id
  await pool.query('UPDATE account SET unlimited = false WHERE id = $1', [accountId])
  await grantCredits(pool, { accountId, amount: 1_000_000 })
  const budget = createByteBudget(128 * 1024 * 1024)
  const outbound = createOutbound({ allowPrivate: [], userAgent: 'test', budget })
  const storage = createStorage({
    pool: database.pool,
    dataDir,
    publicUrl: () => 'http://galley.test',
    days: 1,
    ...(s3 && { s3 }),
  })
  const all = { document: unasked, audio: unasked, image: unasked, ...steps }
  const runner = await startJobs(
    { pool: database.pool, log, timing, onLost: () => undefined, cutOff: async () => undefined },
    [
      generationWork({
        database,
        outbound,
        budget,
        log,
        timing,
        retentionDays: 90,
        providers,
        storage,
        deliver: internalIntake(log),
        budgetOfJob,
        steps: () => all,
      }),
    ],
  )
  const job = async (id: string) =>
    (await pool.query('SELECT * FROM generation_job WHERE id = $1', [id])).rows[0]
  return {
    pool,
    storage,
    accountId,
    create: (kind, request) =>
      createJob(
        { pool, providers, prices: defaultPrices },
        { accountId, kind, request, idempotencyKey: undefined, check: async () => undefined },
      ),
    job,
    async ended(id) {
      await expect.poll(async () => (await job(id)).ended_at, { interval: 30 }).not.toBeNull()
      return job(id)
    },
    async calls(id) {
      const { rows } = await pool.query(
        `SELECT part, provider, outcome, perhaps_paid_twice AS twice, id = key AS same FROM generation_call
         WHERE job_id = $1 ORDER BY id`,
        [id],
      )
      return rows
    },
    async events(id) {
      const { rows } = await pool.query(
        'SELECT event, body FROM notification WHERE subject_id = $1 ORDER BY id',
        [id],
      )
      return rows.map(({ event, body }) => ({ event, body: JSON.parse(body.toString()) }))
    },
    async credits() {
      const { rows } = await pool.query(
        `SELECT credits AS balance, (SELECT sum(amount)::int FROM credit_entry WHERE account_id = account.id) AS sum
         FROM account WHERE id = $1`,
        [accountId],
      )
      return rows[0]
    },
    async stop() {
      await runner.stop(AbortSignal.timeout(10_000))
      await outbound.close()
      await pool.end()
      await database.close()
      await drop()
      await rm(dataDir, { recursive: true })
    },
  }
}

/** What a provider in trouble says. */
export const away = (
  more: { retryAfterMs?: number; made?: boolean; action?: 'owner' } = {},
): GenerationError =>
  new GenerationError({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'provider',
    message: 'The provider is away.',
    ...more,
  })
