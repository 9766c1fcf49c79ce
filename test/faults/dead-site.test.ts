import { afterAll, beforeAll, expect, test } from 'vitest'
import { answer, type Fault, pages, resetBefore } from '../support/proxy/index.ts'
import { pausesOf, together, watchPauses } from './stage/cohort.ts'
import { type SimulatedStage, startSimulated } from './stage/simulated.ts'

const SLOTS = 4
const DOCUMENTS = 12
/** The site is tried again after each. */
const PAUSES = 5

const dead: [string, Fault][] = [
  ['resets every connection', resetBefore],
  ['answers 502', answer(pages.badGateway)],
  ['answers 500', answer(pages.serverError)],
]

let stage: SimulatedStage

beforeAll(async () => {
  stage = await startSimulated({ sites: dead.length, concurrency: SLOTS })
  await watchPauses(stage.pool)
})
afterAll(() => stage.close())

test.each(dead)(
  'a site that %s gets one request for each of its slots, and then one after each pause',
  async (name, fault) => {
    const { id, proxy } = stage.sites[dead.findIndex(([one]) => one === name)] as (typeof stage.sites)[number]
    proxy.rule({}, fault)
    await together(stage.pool, id, async () => {
      for (let n = 0; n < DOCUMENTS; n += 1) await stage.send(id)
    })
    await expect
      .poll(async () => (await pausesOf(stage.pool, id)).length, { interval: 20 })
      .toBeGreaterThanOrEqual(PAUSES)
    // In this order: a request after the last pause that is counted would be one too many.
    const sent = proxy.requests.length
    const pauses = (await pausesOf(stage.pool, id)).length
    expect(sent).toBeLessThanOrEqual(SLOTS + pauses)
  },
)
