import { afterAll, beforeAll, expect, test } from 'vitest'
import { runRequests } from './requests/run.ts'
import { runSites } from './sites/run.ts'
import { collectFindings, excerpt, type Findings } from './stage/findings.ts'
import { type HonestSender, sendHonestly } from './stage/honest.ts'
import { long, seed } from './stage/random.ts'
import { allRowsOf } from './stage/rows.ts'
import { secretsInDatabase } from './stage/secrets.ts'
import { type Figures, HEAP_MB } from './stage/service.ts'
import { startWorld, type World } from './stage/world.ts'
import { runWebhooks, settled } from './webhooks/run.ts'

const scale = (part: string, full: number, bounded: number): number =>
  Number(process.env[`GALLEY_HOSTILE_${part}`] ?? (long ? full : bounded))

const REQUESTS = scale('REQUESTS', 10_000, 150)
const WEBHOOKS = scale('WEBHOOKS', 2_000, 40)
const CASES = scale('SITES', 1_500, 10)

/** What the process may hold: its heap, and twice what it counts as bytes in flight (GALLEY_BYTES_IN_FLIGHT). */
const RESIDENT_BYTES = (HEAP_MB + 2 * 256) * 1024 * 1024

/** Far beyond what it takes. */
const HOURS = 4 * 3_600_000

let findings: Findings
let world: World
let honest: HonestSender
let untouched: Record<string, string>

beforeAll(async () => {
  world = await startWorld()
  findings = collectFindings()
  await settled(world, findings, world.neighbour.id)
  untouched = await allRowsOf(world.service.pool, world.neighbour.id)
  honest = sendHonestly(world, findings)
  await world.service.figures()
})

afterAll(() => world?.stop(), 60_000)

test.sequential(
  'requests of every kind',
  async () => {
    const statuses = await runRequests(world, findings, REQUESTS)
    await report(`${REQUESTS} requests: ${inWords(statuses)}`)
  },
  HOURS,
)

test.sequential(
  'webhooks of hostile documents',
  async () => {
    const outcome = await runWebhooks(world, findings, WEBHOOKS)
    await report(`${WEBHOOKS} webhooks: ${inWords(outcome)}`)
  },
  HOURS,
)

test.sequential(
  'sites that answer as they like',
  async () => {
    const all = await runSites(world, findings, CASES)
    await report(`${CASES} of ${all} cases of hostile answers`)
  },
  HOURS,
)

test.sequential('nothing was wrong beside them, and nothing was written that may not be', async () => {
  await honest.end()
  const { service, secrets, neighbour, thief } = world
  expect(service.ended()).toBeNull()
  console.log(`hostile (seed ${seed}): ${honest.sent()} good documents beside, each one post`)
  expect(await allRowsOf(service.pool, neighbour.id)).toEqual(untouched)
  expect(await secretsInDatabase(service.pool, secrets)).toEqual([])
  const lines = service.written.filter((line) => secrets.within(line).length > 0)
  expect(lines.map((line) => line.slice(0, 500))).toEqual([])
  expect(thief.visits).toEqual([])
})

const inWords = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ')

/** Prints what a part did to the process, and what was wrong until here. */
async function report(what: string): Promise<void> {
  expect(world.service.ended()).toBeNull()
  const { delayMs, peak, stalls }: Figures = await world.service.figures()
  const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024)
  const late = Math.round(delayMs.max)
  const memory = `${megabytes(peak.rss)} MB resident, ${megabytes(peak.heapUsed)} MB of heap, ${megabytes(peak.external)} MB outside`
  console.log(`hostile (seed ${seed}): ${what}; event loop late by at most ${late} ms; at most ${memory}`)
  for (const { from, ms } of stalls.sort((a, b) => b.ms - a.ms).slice(0, 5)) {
    const labels = world.work.at(from + ms / 2).map((label) => excerpt(label, 160))
    console.log(`  ${ms} ms while: ${labels.join(' || ')}`)
  }
  expect(peak.rss).toBeLessThan(RESIDENT_BYTES)
  expect(findings.take().join('\n')).toBe('')
}
