import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'pg'
import type { Config } from '../../../src/config/config.ts'
import type { Timing } from '../../../src/jobs/heartbeat.ts'
import { createApiKey, generateSecretKey } from '../../../src/secrets/keyring.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database/fresh-database.ts'
import { bundleProgram, type GalleyChild, startChild } from './child.ts'
import type { FaultDocument } from './documents.ts'

type ProcessRole = Config['role']

interface ClusterChild extends GalleyChild {
  /** What its leases and its heartbeat carry; null for a process that only serves. */
  worker: string | null
}

/** Several Galley processes on one database, to be killed and started again. */
export interface Cluster {
  pool: Pool
  connectionString: string
  children: ClusterChild[]
  /** Kills the process at a place and starts another there. */
  replace(at: number, signal?: NodeJS.Signals): Promise<void>
  /** The place of the process that holds the lease of a document's delivery. */
  holderOf(documentId: string): Promise<number>
  call<Body>(method: string, path: string, body?: unknown): Promise<{ status: number; body: Body }>
  /** Sends a webhook until some process acknowledges it, as its sender would. @returns 202, or 200 for a repetition */
  acknowledge(document: FaultDocument): Promise<number>
  stop(): Promise<void>
}

interface ClusterOptions {
  /** A database that is there already. */
  database?: FreshDatabase
  /** Ports of the processes that serve, by place; chosen by the system where left out. */
  ports?: readonly (number | undefined)[]
  /** Where whoever calls finds them, as behind a balancer; one of them at random where left out. */
  address?: string
}

/** @param roles of the processes, one at each place */
export async function startCluster(
  roles: readonly ProcessRole[],
  timing: Timing,
  { database: given, ports = [], address }: ClusterOptions = {},
): Promise<Cluster> {
  const database: FreshDatabase = given ?? (await freshDatabase())
  const pool = new Pool({ connectionString: database.connectionString, max: 4 })
  pool.on('error', () => undefined)
  const program = await bundleProgram()
  const key = createApiKey()
  const env = {
    DATABASE_URL: database.connectionString,
    GALLEY_SECRET_KEYS: generateSecretKey(),
    GALLEY_ADMIN_KEY: key,
  }
  const children: ClusterChild[] = []
  const workers = new Set<string>()
  const start = async (at: number) => {
    const role = roles[at] as ProcessRole
    const child = await startChild(program, {
      env: { ...env, GALLEY_ROLE: role, ...(ports[at] && { PORT: String(ports[at]) }) },
      timing,
    })
    children[at] = { ...child, worker: role === 'web' ? null : await newWorker() }
  }
  const newWorker = async () => {
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM worker_process')
    const worker = rows.find(({ id }) => !workers.has(id))?.id
    if (worker === undefined) throw new Error('the new process has no heartbeat')
    workers.add(worker)
    return worker
  }
  const places = [...roles.keys()]
  const working = places.filter((at) => roles[at] !== 'web')
  const starting = places.filter((at) => roles[at] === 'web').map(start)
  // One after the other: each is told by the heartbeat that is new.
  for (const at of working) await start(at)
  await Promise.all(starting)

  const request = async (method: string, path: string, body?: unknown) => {
    const serving = children.flatMap(({ url }) => url ?? [])
    const url = address ?? serving[Math.floor(Math.random() * serving.length)]
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(10_000),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }
  const { body: source } = await request('POST', '/v1/sources', { name: 'faults' })
  const webhook = new URL(source.data.url).pathname

  return {
    pool,
    connectionString: database.connectionString,
    children,
    call: request,
    async holderOf(documentId) {
      const { rows } = await pool.query('SELECT leased_by FROM delivery WHERE document_id = $1', [documentId])
      return children.findIndex(({ worker }) => worker === rows[0]?.leased_by)
    },
    async replace(at, signal = 'SIGKILL') {
      const child = children[at] as GalleyChild
      child.kill(signal)
      await child.exited
      await start(at)
    },
    async acknowledge(document) {
      for (let attempt = 1; ; attempt++) {
        const answer = await request('POST', webhook, document.body).catch(() => null)
        if (answer !== null && (answer.status === 200 || answer.status === 202)) return answer.status
        if (attempt === 100)
          throw new Error(`nobody acknowledged ${document.title}: ${JSON.stringify(answer)}`)
        await wait(100)
      }
    },
    async stop() {
      for (const child of children) {
        child.kill('SIGCONT')
        child.kill('SIGKILL')
      }
      await Promise.all(children.map(({ exited }) => exited))
      await pool.end()
      await database.drop()
    },
  }
}
