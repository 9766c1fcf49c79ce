/**
 * A process that works on jobs, for tests to kill: what it makes, it asks of the test, and at each point on the way it asks
 * the test whether it may go on. Its argument gives the timing as JSON, `STAGE` the address of the test.
 */
import { once } from 'node:events'
import { createByteBudget } from '../../../src/bytes/budget.ts'
import { openDatabase } from '../../../src/database/client.ts'
import { GenerationError } from '../../../src/generation/failure.ts'
import type { JobRun, JobSteps } from '../../../src/generation/jobs/job-run.ts'
import { createStorage } from '../../../src/generation/storage/storage.ts'
import { generationWork } from '../../../src/generation/work.ts'
import { internalIntake } from '../../../src/intake/direct.ts'
import type { Timing } from '../../../src/jobs/heartbeat.ts'
import { startJobs } from '../../../src/jobs/runner.ts'
import { createLog } from '../../../src/log/log.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { someProviders } from '../providers.ts'
import { partsOf } from './parts.ts'

const timing = JSON.parse(process.argv[2] ?? '') as Timing
const { STAGE = '', DATABASE_URL = '', GALLEY_DATA_DIR = '' } = process.env
const log = createLog({ logLevel: (process.env.LOG_LEVEL ?? 'fatal') as 'fatal' })
process.stdin.resume().once('close', () => process.exit(1))

/** Says where it is, and waits to be let on, or to be killed. */
async function at(point: string, run: JobRun, part: string): Promise<void> {
  await fetch(`${STAGE}/at/${point}/${run.id}/${part}`)
}

/** What is asked of the provider, with a word at each point around it. */
async function ask(run: JobRun, step: 'generating' | 'images', part: string): Promise<string> {
  const { body } = await run.answer(
    { step, name: part },
    [{ name: 'stage', model: 'm', concurrency: 50 }],
    async (provider, { idempotencyKey }) => {
      await at('intended', run, part)
      const response = await fetch(`${STAGE}/make/${run.id}/${part}`, {
        headers: { 'idempotency-key': idempotencyKey },
      })
      const text = await response.text()
      if (response.status === 422)
        throw new GenerationError({ reason: 'CONTENT_MODERATION', of: 'job', message: 'It was declined.' })
      await at('answered', run, part)
      return { provider: provider.name, model: provider.model, body: text, costMicros: 1 }
    },
  )
  await at('stored', run, part)
  return String(body)
}

const steps: JobSteps = {
  async document(run) {
    await run.enter('generating')
    const said: string[] = []
    for (const part of partsOf.generating) said.push(await ask(run, 'generating', part))
    await run.enter('images')
    said.push(...(await Promise.all(partsOf.images.map((part) => ask(run, 'images', part)))))
    await at('ending', run, 'end')
    const title = said.join(' ')
    const meta = { title, slug: 'x', description: 'x', word_count: 1, reading_time: '1 min read' }
    return {
      ...{ title, description: 'x', word_count: 1, reading_time: '1 min read' },
      content: { type: 'document', version: '1.0', meta, content: [] },
    }
  },
  async image(run) {
    if (run.request.prompt === 'deadly') process.kill(process.pid, 'SIGKILL')
    return { url: await ask(run, 'generating', 'picture') }
  },
  async audio() {
    throw new Error('no test asks for it')
  },
}

async function run(): Promise<void> {
  const database = openDatabase({ connectionString: DATABASE_URL, poolSize: 10, log })
  const { pool } = database
  const budget = createByteBudget(128 * 1024 * 1024)
  const outbound = createOutbound({ allowPrivate: [], userAgent: 'test', budget })
  const storage = createStorage({
    pool,
    dataDir: GALLEY_DATA_DIR,
    publicUrl: () => 'http://galley.test',
    days: 1,
  })
  const worker = generationWork({
    ...{ database, outbound, budget, log, timing, storage },
    providers: someProviders,
    retentionDays: 0,
    deliver: internalIntake(log),
    budgetOfJob: { calls: 200, micros: 1_000_000 },
    steps: () => steps,
  })
  const runner = await startJobs(
    { pool, log, timing, onLost: () => process.exit(1), cutOff: async () => undefined },
    [worker],
  )
  process.stdout.write(`${JSON.stringify({ ready: true, url: null })}\n`)
  await once(process, 'SIGTERM')
  await runner.stop(AbortSignal.timeout(20_000))
  process.exit()
}

void run()
