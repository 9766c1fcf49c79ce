import { setTimeout as sleep } from 'node:timers/promises'
import type { Figure } from '../benchmark.ts'
import { compareMedians, interleave, median } from '../support/rounds.ts'
import type { CarelessLoop, Model } from './careless.ts'
import { allDelivered, send } from './documents.ts'
import { startShaky } from './shaky.ts'
import type { Stage } from './stage.ts'

/** Longer than a site's worker goes on for once nothing is due. */
const IDLE_MS = 150

const target = { ratio: 'at most', limit: 1.2 } as const

/** One document for a site that nothing waits for, beside two bare requests: a draft, and then all of it. */
export async function measureSingle(
  stage: Stage,
  { loop, model, siteId }: { loop: CarelessLoop; model: Model; siteId: string },
  rounds: number,
): Promise<Figure[]> {
  const times = await interleave(rounds, {
    bare: async () => {
      await sleep(IDLE_MS)
      return loop.draftAndFill(model)
    },
    galley: () => deliverOne(stage, siteId),
  })
  const requests = await requestsOfOne(stage)
  return [
    {
      figure: 'one document, webhook to filled post',
      unit: 'milliseconds',
      ...compareMedians(times.galley, times.bare),
      target,
    },
    {
      figure: 'requests for one document',
      unit: 'count',
      measured: requests,
      baseline: 2,
      ratio: requests / 2,
      target,
    },
  ]
}

/** @returns milliseconds from the webhook to the settlement in the database */
async function deliverOne({ pool, webhook }: Stage, siteId: string): Promise<number> {
  await sleep(IDLE_MS)
  const began = Date.now()
  const documentId = await send({ webhook, siteId })
  return (await allDelivered(pool, [documentId], 20)) - began
}

/** Counted by a proxy, and so not timed. */
async function requestsOfOne(stage: Stage): Promise<number> {
  const proxy = await startShaky(stage.wordpress.url)
  try {
    const siteId = await stage.connect({ restRoot: `${proxy.url}/wp-json/` })
    const counted: number[] = []
    for (let n = 0; n < 4; n += 1) {
      await deliverOne(stage, siteId)
      counted.push(proxy.counted())
    }
    // The first one finds out what the site can do, and makes its terms known.
    return median(counted.slice(1))
  } finally {
    await proxy.close()
  }
}
