import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { type Crowd, startCrowd } from '../../bench/support/crowd.ts'
import { addSites } from '../../bench/support/sites.ts'
import { standardTiming, type Timing } from '../../src/jobs/heartbeat.ts'
import { createApiKey, generateSecretKey } from '../../src/secrets/keyring.ts'
import { freshDatabase } from '../support/database/fresh-database.ts'
import { startTestGalley, type TestGalley, webhookPath } from '../support/galley.ts'
import {
  answer,
  type Fault,
  type ProxiedRequest,
  pages,
  resetAfter,
  restError,
  stallBefore,
} from '../support/proxy/index.ts'
import { completed } from '../support/webhooks.ts'

/** Galley gives up on a site that does not answer after so long. */
const TIMEOUT_MS = 8_000

/** The standard timing, with a shorter first pause, so that an outage of half a minute is asked about often enough. */
export const simulationTiming: Timing = {
  ...standardTiming,
  firstPauseMs: 1_000,
  exchangeMs: { read: TIMEOUT_MS, write: TIMEOUT_MS },
}

interface Kind {
  /** The code of the trouble. */
  code: string
  state: 'down' | 'needs_owner'
  fault: Fault
  /** Milliseconds after which a request shows it. */
  shownAfterMs?: number
}

const unavailable = {
  status: 503,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from('<h1>503 Service Unavailable</h1>'),
}

/** What befalls sites. */
export const kinds = {
  reset: { code: 'connection_lost', state: 'down', fault: resetAfter },
  unavailable: { code: 'site_error', state: 'down', fault: answer(unavailable) },
  cloudflare: { code: 'firewall_cloudflare', state: 'down', fault: answer(pages.cloudflareBlock) },
  fatal: { code: 'php_fatal_error', state: 'down', fault: answer(pages.phpFatal) },
  timeout: { code: 'site_timeout', state: 'down', fault: stallBefore, shownAfterMs: TIMEOUT_MS },
  parked: { code: 'parking_page', state: 'down', fault: answer(pages.parking) },
  database: { code: 'database_down', state: 'down', fault: answer(pages.databaseDown) },
  password: {
    code: 'password_wrong',
    state: 'needs_owner',
    fault: answer(
      restError(401, 'incorrect_password', 'The provided password is an invalid application password.'),
    ),
  },
} satisfies Record<string, Kind>

export type KindName = keyof typeof kinds

/** Sites that fail together, from a moment of the simulation to another, in milliseconds. */
export interface Outage {
  kind: KindName
  sites: readonly number[]
  beginsMs: number
  endsMs: number
}

/** What a site is, as its own requests have shown it; `null` for working. */
interface Change {
  /** `performance.now()` when the first request came that is answered so. */
  at: number
  /** When that request shows it: where nothing is answered, once Galley gives up. */
  shownAt: number
  kind: KindName | null
}

export interface SimulatedSite {
  id: string
  changes: Change[]
  /** When it was asked, in its outages, one light question each. */
  lightQuestions: { outage: number; at: number }[]
}

/** Sites that fail and recover at known moments, documents that keep arriving for them, and a Galley between. */
export class Simulation {
  readonly galley: TestGalley
  readonly key: string
  readonly pool: Pool
  readonly crowd: Crowd
  readonly sites: SimulatedSite[]
  /** Index of the site of each document. */
  readonly documents = new Map<string, number>()
  readonly #failing: Map<number, KindName>
  readonly #webhook: string

  constructor(parts: {
    galley: TestGalley
    key: string
    pool: Pool
    crowd: Crowd
    sites: SimulatedSite[]
    failing: Map<number, KindName>
    webhook: string
  }) {
    this.galley = parts.galley
    this.key = parts.key
    this.pool = parts.pool
    this.crowd = parts.crowd
    this.sites = parts.sites
    this.#failing = parts.failing
    this.#webhook = parts.webhook
  }

  /** Without the look at the description that `galley.call` has: it is asked every second for hundreds of sites. */
  async get<Body>(path: string): Promise<Body> {
    const headers = { authorization: `Bearer ${this.key}` }
    const response = await fetch(`${this.galley.url}${path}`, { headers })
    if (!response.ok) throw new Error(`${path} was answered ${response.status}`)
    return (await response.json()) as Body
  }

  /** Lets something befall a site, or ends it. */
  befall(index: number, kind: KindName | null): void {
    if (kind === null) this.#failing.delete(index)
    else this.#failing.set(index, kind)
  }

  async send(index: number): Promise<void> {
    const { id } = this.sites[index] as SimulatedSite
    const document = completed({ id: randomUUID(), siteId: id })
    this.documents.set(document.id, index)
    const { status } = await this.galley.call('POST', this.#webhook, document)
    if (status !== 202) throw new Error(`a document was answered ${status}`)
  }

  /** Lets outages begin and end at their moments, while documents arrive; resolves when the last has ended. */
  async run(
    outages: readonly Outage[],
    { documentsPerSecond }: { documentsPerSecond: number },
  ): Promise<void> {
    const began = performance.now()
    const until = (ms: number) => sleep(Math.max(0, began + ms - performance.now()))
    let running = true
    const arriving = (async () => {
      for (let n = 0; running; n += 1) {
        await until((n * 1_000) / documentsPerSecond)
        await this.send((n * 7) % this.sites.length)
      }
    })()
    try {
      await Promise.all(
        outages.map(async ({ kind, sites, beginsMs, endsMs }) => {
          await until(beginsMs)
          for (const site of sites) this.#failing.set(site, kind)
          for (const site of sites) await this.send(site)
          await until(endsMs)
          for (const site of sites) this.#failing.delete(site)
          if (kind === 'password') for (const site of sites) await this.#connectAgain(site)
        }),
      )
    } finally {
      running = false
      await arriving
    }
  }

  async #connectAgain(index: number): Promise<void> {
    const { id } = this.sites[index] as SimulatedSite
    const { status, body } = await this.galley.call('PATCH', `/v1/sites/${id}`, {
      application_password: 'abcd efgh ijkl mnop qrst uvwx',
    })
    if (status !== 200) throw new Error(`a site could not be connected again: ${JSON.stringify(body)}`)
  }

  async close(): Promise<void> {
    await this.galley.stop()
    this.crowd.close()
    await this.pool.end()
  }
}

/** What a site may be told to be between two moments, where a change may be told late by so much. */
export function possibleKinds(
  { changes }: SimulatedSite,
  { from, to, lateMs }: { from: number; to: number; lateMs: number },
): Set<KindName | null> {
  const settled = changes.findLastIndex(({ shownAt }) => shownAt <= from - lateMs)
  const since = changes.slice(Math.max(settled, 0)).filter(({ at }) => at <= to)
  return new Set([...(settled < 0 ? [null] : []), ...since.map(({ kind }) => kind)])
}

/** What Galley may take to tell of a change, from the first request that shows it: 15 s, and as much again on a busy machine. */
export const TOLERANCE_MS = 30_000

/** Compares counts that were told between two moments with what is so. */
export function countsOf(sites: readonly SimulatedSite[], moment: { from: number; to: number }) {
  const of = sites.map((site) => possibleKinds(site, { ...moment, lateMs: TOLERANCE_MS }))
  return {
    of,
    /** @returns what is wrong with a count of the sites that are of these kinds */
    compare(what: string, count: number, fits: (kind: KindName | null) => boolean): string[] {
      const most = of.filter((may) => [...may].some(fits)).length
      const least = of.filter((may) => [...may].every(fits)).length
      return count < least || count > most ? [`${what}: ${count}, and not ${least} to ${most}`] : []
    },
  }
}

export async function startSimulation(count: number, timing: Timing = simulationTiming): Promise<Simulation> {
  const failing = new Map<number, KindName>()
  const sites: SimulatedSite[] = []
  const crowd = await startCrowd({
    keep: true,
    faultOf: (index, request) => {
      const site = sites[index]
      return site && record(site, failing.get(index) ?? null, request)
    },
  })
  const database = await freshDatabase()
  const secretKeys = generateSecretKey()
  const key = createApiKey()
  const galley = await startTestGalley({ secretKeys, adminKey: key }, database, timing)
  const pool = new Pool({ connectionString: database.connectionString, max: 4 })
  const ids = await addSites(
    pool,
    secretKeys,
    Array.from({ length: count }, (_, index) => ({
      url: crowd.url(index),
      applicationPassword: 'aaaa bbbb cccc dddd eeee ffff',
    })),
  )
  // As if each had been checked yesterday.
  const checkedAt = new Date(Date.now() - 86_400_000).toISOString()
  const report = { checkedAt, level: 'ok', findings: [], home: null, abilities: null, worse: [] }
  await pool.query('UPDATE site SET report = $1, report_at = $2', [JSON.stringify(report), checkedAt])
  for (const id of ids) sites.push({ id, changes: [], lightQuestions: [] })
  const webhook = await webhookPath(galley)
  const simulation = new Simulation({ galley, key, pool, crowd, sites, failing, webhook })
  return simulation
}

/** A read that only whoever may write gets, and that a delivery does not send. */
const isLightQuestion = ({ method, path, url }: ProxiedRequest): boolean =>
  method === 'GET' && path === '/wp/v2/posts' && url.includes('per_page=1&')

/** Notes what a request shows of its site, and says what befalls it. */
function record(site: SimulatedSite, name: KindName | null, request: ProxiedRequest): Fault | undefined {
  const last = site.changes.at(-1)?.kind ?? null
  const kind: Kind | null = name === null ? null : kinds[name]
  const at = performance.now()
  if (name !== last) site.changes.push({ at, shownAt: at + (kind?.shownAfterMs ?? 0), kind: name })
  if (kind === null) return undefined
  if (isLightQuestion(request)) site.lightQuestions.push({ outage: site.changes.length, at })
  return kind.fault
}
