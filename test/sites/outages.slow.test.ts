import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { samples } from '../support/random.ts'
import {
  countsOf,
  type KindName,
  kinds,
  type Outage,
  type SimulatedSite,
  type Simulation,
  simulationTiming,
  startSimulation,
  TOLERANCE_MS,
} from './simulation.ts'

/** 500 with `GALLEY_TEST_SAMPLES=all`; fewer show the same on a machine that runs other suites as well. */
const SITES = samples(500)
/** Of each kind. */
const GROUP = SITES / 25

/** Each kind has its own sites; they overlap, and end in another order. */
const outages: Outage[] = (Object.keys(kinds) as KindName[]).map((kind, index) => ({
  kind,
  sites: Array.from({ length: GROUP }, (_, n) => index * GROUP + n),
  beginsMs: 4_000 + index * 2_000,
  endsMs: 30_000 + ((index * 5) % 8) * 2_000,
}))

let simulation: Simulation
beforeAll(async () => {
  simulation = await startSimulation(SITES)
})
afterAll(() => simulation.close())

interface States {
  total: number
  by_state: Record<string, number>
  causes: { state: string; code: string; site_count: number }[]
}

const states = async (): Promise<States> => (await simulation.get<{ data: States }>('/v1/sites/states')).data

interface Page {
  data: { id: string }[]
  next_cursor: string | null
}

async function listedAsDown(): Promise<Set<string>> {
  const ids = new Set<string>()
  let cursor: string | null = null
  do {
    const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page: Page = await simulation.get(`/v1/sites?state=down&limit=100${after}`)
    for (const { id } of page.data) ids.add(id)
    cursor = page.next_cursor
  } while (cursor !== null)
  return ids
}

/** Differences of what Galley tells from what is so. */
async function lookOnce(): Promise<string[]> {
  const from = performance.now()
  const [told, down] = [await states(), await listedAsDown()]
  const { of, compare } = countsOf(simulation.sites, { from, to: performance.now() })
  const wrong: string[] = []
  const stateOf = (kind: KindName | null) => (kind === null ? 'working' : kinds[kind].state)
  // A site that was connected again is not checked until its first delivery.
  const { unchecked = 0, ...counts } = told.by_state
  const changed = of.filter((may) => may.has('password') && may.has(null)).length
  if (unchecked > changed) wrong.push(`unchecked: ${unchecked}, and not 0 to ${changed}`)
  for (const [state, count] of Object.entries(counts))
    wrong.push(...compare(state, count, (kind) => stateOf(kind) === state))
  const codes = new Map(told.causes.map(({ code, site_count }) => [code, site_count]))
  for (const [name, { code }] of Object.entries(kinds)) {
    wrong.push(...compare(code, codes.get(code) ?? 0, (kind) => kind === name))
    codes.delete(code)
  }
  for (const [code, count] of codes) wrong.push(`${code}: ${count}, which befell nobody`)
  simulation.sites.forEach(({ id }, index) => {
    const may = [...(of[index] ?? [])]
    if (!may.some((kind) => (stateOf(kind) === 'down') === down.has(id)))
      wrong.push(`site ${index} is ${down.has(id) ? '' : 'not '}listed as down: ${may}`)
  })
  return wrong
}

it('what Galley tells of many sites is soon so, whatever befalls them, and every document arrives once', async () => {
  const { galley, sites, pool, crowd, documents } = simulation
  // A site that was checked in the last minute gets no check when it fails.
  const checked = outages.map(({ sites: [first = 0] }) => sites[first]?.id)
  await Promise.all(checked.map((id) => galley.call('POST', `/v1/sites/${id}/check`)))
  const wrong: string[] = []
  const began = performance.now()
  let over = false
  const watching = (async () => {
    while (!over) {
      const found = await lookOnce()
      const second = Math.round((performance.now() - began) / 1_000)
      wrong.push(...found.map((each) => `${second} s: ${each}`))
      await sleep(1_000)
    }
  })()
  const isOver = async () => {
    const { rows } = await pool.query(
      "SELECT count(*)::int AS left FROM delivery WHERE status <> 'delivered'",
    )
    return rows[0].left === 0 && sites.every(({ changes }) => (changes.at(-1)?.kind ?? null) === null)
  }
  try {
    await simulation.run(outages, { documentsPerSecond: 3 })
    await expect.poll(isOver, { interval: 500 }).toBe(true)
  } finally {
    over = true
    await watching
  }
  expect(wrong).toEqual([])

  await expect
    .poll(states, { timeout: TOLERANCE_MS })
    .toMatchObject({ total: SITES, by_state: { working: SITES }, causes: [] })
  const ofCheck = /^check-/
  const delivered = sites.flatMap((_, index) =>
    crowd
      .posts(index)
      .flatMap(({ documentId }) => (ofCheck.test(documentId) ? [] : [`${documentId} at ${index}`])),
  )
  expect(delivered.sort()).toEqual([...documents].map(([id, index]) => `${id} at ${index}`).sort())
  // On a slow machine a site may be back before its first question is due.
  const kindsAsked = outages
    .filter(({ sites: ofKind }) => ofKind.some((index) => sites[index]?.lightQuestions.length))
    .map(({ kind }) => kind)
  const kindsDown = outages.map(({ kind }) => kind).filter((kind) => kinds[kind].state === 'down')
  expect(kindsAsked).toEqual(expect.arrayContaining(kindsDown))
  expect(sites.flatMap(askedTooOften)).toEqual([])
})

/**
 * Light questions that came before their time, but for the first of each outage, which may be a check's: each pause is twice the
 * one before, up to half a minute.
 */
function askedTooOften({ lightQuestions }: SimulatedSite, index: number): string[] {
  const early = lightQuestions.flatMap(({ outage, at }, n) => {
    const before = lightQuestions[n - 1]
    if (before === undefined || before.outage !== outage) return []
    const nth = lightQuestions.filter((each, m) => m < n && each.outage === outage).length
    const leastMs = Math.min(simulationTiming.firstPauseMs * 2 ** nth, 30_000)
    const said = `site ${index}: question ${nth} after ${at - before.at} ms`
    return at - before.at < leastMs ? [{ outage, said }] : []
  })
  return early
    .filter(({ outage }, n) => early.some((each, m) => m < n && each.outage === outage))
    .map(({ said }) => said)
}
