import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  countsOf,
  type KindName,
  kinds,
  type Outage,
  type Simulation,
  startSimulation,
  TOLERANCE_MS,
} from '../sites/simulation.ts'
import { sharedBrowser, signIn } from '../support/browser.ts'
import { samples } from '../support/random.ts'

/** 60 with `GALLEY_TEST_SAMPLES=all`; fewer show the same on a machine that runs other suites as well. */
const SITES = Math.max(24, Math.min(60, samples(60)))
/** Of each kind. */
const GROUP = SITES / 12

/** Each kind has its own sites; they overlap, and end in another order. */
const outages: Outage[] = (Object.keys(kinds) as KindName[]).map((kind, index) => ({
  kind,
  sites: Array.from({ length: GROUP }, (_, n) => index * GROUP + n),
  beginsMs: 1_000 + index * 2_000,
  endsMs: 26_000 + ((index * 5) % 8) * 2_000,
}))

let simulation: Simulation
beforeAll(async () => {
  simulation = await startSimulation(SITES)
})
afterAll(() => simulation.close())

/** The links by which causes list their sites: “Show 7 sites”. */
const CAUSES = `[...document.querySelectorAll('.g-cause a[href^="/sites?state="]')]
  .filter(({ textContent }) => /^Show \\d+ site/.test(textContent))
  .map(({ href, textContent }) => [new URL(href).searchParams.get('trouble') ?? 'a check', parseInt(textContent.slice(5), 10)])`

it('a page that stays open through eight kinds of outage tells of each and of its end within 15 s', async () => {
  const context = await (await sharedBrowser()).newContext()
  const { galley, key, sites } = simulation
  await signIn(context, galley.url, key)
  const page = await context.newPage()
  await page.goto(galley.url)
  await page.getByText('Nothing. Every document is on its way or delivered.').waitFor()
  const wrong: string[] = []
  const seen = new Set<string>()
  const began = performance.now()
  let over = false
  const watching = (async () => {
    while (!over) {
      const from = performance.now()
      const told = new Map(await page.evaluate<[string, number][]>(CAUSES))
      const { compare } = countsOf(sites, { from, to: performance.now() })
      const found: string[] = []
      for (const [name, { code }] of Object.entries(kinds))
        found.push(...compare(code, told.get(code) ?? 0, (kind: KindName | null) => kind === name))
      for (const code of told.keys()) seen.add(code)
      const second = Math.round((from - began) / 1_000)
      wrong.push(...found.map((each) => `${second} s: ${each}`))
      await sleep(500)
    }
  })()
  const isOver = () => sites.every(({ changes }) => (changes.at(-1)?.kind ?? null) === null)
  try {
    await simulation.run(outages, { documentsPerSecond: 2 })
    await expect.poll(isOver, { interval: 500 }).toBe(true)
    await page
      .getByText('Nothing. Every document is on its way or delivered.')
      .waitFor({ timeout: TOLERANCE_MS })
  } finally {
    over = true
    await watching
  }
  expect(wrong).toEqual([])
  expect([...seen].sort()).toEqual(outages.map(({ kind }) => kinds[kind].code).sort())
  await context.close()
})
