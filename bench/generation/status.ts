import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { createApiKey } from '../../src/secrets/index.ts'
import { createKey } from '../../src/secrets/keys.ts'
import type { Scale } from '../benchmark.ts'
import { startGalley } from '../support/galley.ts'
import type { Postgres } from '../support/postgres.ts'

/** Milliseconds that each answer took, from the moment its request was due to be sent. */
export interface StatusTimes {
  /** Of the status of a finished document. */
  status: number[]
  /** Of an answer that nothing is looked up for. */
  health: number[]
}

/** Asks for both in turn, so many times a second each for so long. */
export async function statusTimes(
  scale: Scale,
  { database, folder }: Postgres,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<StatusTimes> {
  const connectionString = await database()
  const key = createApiKey()
  const settings = {
    DATABASE_URL: connectionString,
    GALLEY_SECRET_KEYS: createKey(),
    GALLEY_ADMIN_KEY: key,
    GALLEY_REQUESTS_PER_MINUTE: '0',
  }
  const galley = await startGalley(scale, settings, join(folder, 'status.log'))
  try {
    const headers = { authorization: `Bearer ${key}` }
    const ask = (path: string) => () => fetch(`${galley.url}${path}`, { headers })
    const status = ask(`/v1/document/status/${await finished(connectionString)}`)
    const health = ask('/healthz')
    for (const one of [health, status]) await steadily(one, { perSecond, seconds: seconds / 5 })
    return {
      health: await steadily(health, { perSecond, seconds }),
      status: await steadily(status, { perSecond, seconds }),
    }
  } finally {
    await galley.stop()
  }
}

/** @returns the id of a finished document of about 1,000 words */
async function finished(connectionString: string): Promise<string> {
  const pool = new Pool({ connectionString, max: 1 })
  try {
    const id = randomUUID()
    const text = 'Six letters. '.repeat(40)
    const content = Array.from({ length: 12 }, () => ({
      type: 'paragraph',
      content: [{ type: 'text', text }],
    }))
    await pool.query(
      `INSERT INTO generation_job (id, account_id, kind, request, status, price, request_digest, result, due_at, ended_at)
       SELECT $1, id, 'document', '{}', 'completed', 0, '', $2, NULL, now() FROM account LIMIT 1`,
      [id, JSON.stringify({ title: 'A document', description: 'It is.', content: { content } })],
    )
    return id
  } finally {
    await pool.end()
  }
}

async function steadily(
  ask: () => Promise<Response>,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<number[]> {
  const took: number[] = []
  const asked: Promise<void>[] = []
  const began = performance.now()
  for (let n = 0; n < perSecond * seconds; n += 1) {
    const due = began + (n * 1_000) / perSecond
    if (due > performance.now()) await sleep(due - performance.now())
    asked.push(
      ask().then(async (response) => {
        await response.arrayBuffer()
        if (!response.ok) throw new Error(`the answer was ${response.status}`)
        took.push(performance.now() - due)
      }),
    )
  }
  await Promise.all(asked)
  return took
}
