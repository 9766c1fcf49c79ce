import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createByteBudget } from '../../src/bytes/budget.ts'
import type { ImageRequest } from '../../src/contract/generation/requests.ts'
import { openDatabase } from '../../src/database/client.ts'
import { createJob } from '../../src/generation/api/create.ts'
import { defaultPrices } from '../../src/generation/api/prices.ts'
import type { Provider, RawAnswer } from '../../src/generation/providers/types.ts'
import { createStorage } from '../../src/generation/storage/storage.ts'
import { generationWork } from '../../src/generation/work.ts'
import { internalIntake } from '../../src/intake/direct.ts'
import { standardTiming } from '../../src/jobs/heartbeat.ts'
import { type JobRunner, startJobs } from '../../src/jobs/runner.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { someProviders } from '../../test/generation/providers.ts'

/** Parts of a job: about those of a document of 1,000 words with three pictures. */
export const PARTS = 10

/** Connections, as many as Galley's own pool has. */
const POOL = 20

/** Galley's work on jobs, in this process, with a provider that answers as the benchmark says. */
export interface Works {
  pool: ReturnType<typeof openDatabase>['pool']
  /** @returns its id */
  create(): Promise<string>
  /** When the first step of each job began, as `performance.now()` counts. */
  began: Map<string, number>
  /** Begins to work; until then, jobs only wait. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** @param answer of the provider; instant ones resolve at once */
export async function startWorks(
  {
    connectionString,
    folder,
    concurrency,
  }: { connectionString: string; folder: string; concurrency: number },
  answer: (provider: Provider) => Promise<RawAnswer>,
): Promise<Works> {
  const log = pino({ level: 'silent' })
  const database = openDatabase({ connectionString, poolSize: POOL, log })
  const { pool } = database
  const { account } = await createAccount(database.pool, { name: 'benchmark' })
  const budget = createByteBudget(256 * 1024 * 1024)
  const outbound = createOutbound({ allowPrivate: [], userAgent: 'benchmark', budget })
  const storage = createStorage({ pool, dataDir: folder, publicUrl: () => 'http://galley.bench', days: 1 })
  const provider: Provider = { name: 'instant', model: 'm', concurrency }
  const began = new Map<string, number>()
  const never = async (): Promise<never> => {
    throw new Error('the benchmark makes images alone')
  }
  const worker = generationWork({
    ...{ database, outbound, budget, log, storage },
    providers: someProviders,
    timing: standardTiming,
    retentionDays: 0,
    deliver: internalIntake(log),
    budgetOfJob: { calls: 1_000, micros: 1_000_000 },
    steps: () => ({
      document: never,
      audio: never,
      async image(run) {
        if (!began.has(run.id)) began.set(run.id, performance.now())
        for (let part = 0; part < PARTS; part += 1)
          await run.answer({ step: 'generating', name: `part-${part}` }, [provider], answer)
        return { url: 'https://x.test/x.png' }
      },
    }),
  })
  let runner: JobRunner | undefined
  return {
    ...{ pool, began },
    create: () =>
      createJob(
        { pool, providers: someProviders, prices: defaultPrices },
        {
          ...{ accountId: account.id, kind: 'image', request, idempotencyKey: undefined },
          check: async () => undefined,
        },
      ),
    async start() {
      runner = await startJobs(
        { pool, log, timing: standardTiming, onLost: () => undefined, cutOff: async () => undefined },
        [worker],
      )
    },
    async stop() {
      await runner?.stop(AbortSignal.timeout(5_000))
      await outbound.close()
      await database.close()
    },
  }
}

const request: ImageRequest = {
  prompt: 'A lighthouse at noon',
  ...{ model: 'standard', style: 'photograph', size: 'square', quality: 'high', format: 'png' },
  ...{ background: 'auto', webhook_url: null },
}

/** Milliseconds after `from` at which the job has ended, as who asks for its status every few milliseconds sees it. */
export async function endOf({ pool }: Works, id: string, from: number): Promise<number> {
  for (;;) {
    const { rows } = await pool.query('SELECT FROM generation_job WHERE id = $1 AND ended_at IS NOT NULL', [
      id,
    ])
    if (rows.length > 0) return performance.now() - from
    await sleep(2)
  }
}

/** Resolves when every job has ended. */
export async function allEnded({ pool }: Works): Promise<void> {
  for (;;) {
    const { rows } = await pool.query('SELECT FROM generation_job WHERE ended_at IS NULL LIMIT 1')
    if (rows.length === 0) return
    await sleep(20)
  }
}
