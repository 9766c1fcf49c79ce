import type { Figure, Target } from '../benchmark.ts'
import { beside, inTurn } from '../support/rounds.ts'
import { median } from '../support/statistics.ts'
import { deliverBacklog, since, type Taken } from './backlog.ts'
import type { CarelessLoop, Model } from './careless.ts'
import { newestPost, removeMade } from './posts.ts'
import type { Stage } from './stage.ts'

export interface Backlog {
  rounds: number
  documents: number
}

/** What a backlog is measured beside, and with which sites. */
interface Sides {
  loop: CarelessLoop
  model: Model
  /** The WordPress connected as it is by itself, and with `batch: off`. */
  sites: { batched: string; single: string }
}

/** Posts without pictures, and what they cost in processor time. */
export async function measureBacklog(
  stage: Stage,
  { loop, model, sites }: Sides,
  { rounds, documents }: Backlog,
): Promise<Figure[]> {
  const { careless, batched, single } = await inTurn(rounds, {
    careless: () => postCarelessly(stage, loop, model, documents),
    batched: () => deliverBacklog(stage, { siteId: sites.batched, documents }),
    single: () => deliverBacklog(stage, { siteId: sites.single, documents }),
  })
  const target = { measured: 'below', limit: 5 } as const
  return [
    rate('backlog without pictures', batched, careless, 1),
    rate('backlog without pictures, batch: off', single, careless),
    ...processor('processor time of WordPress for a post', 'ofWordPress', batched, careless),
    ...processor('processor time of WordPress for a post, batch: off', 'ofWordPress', single, careless),
    ...processor('processor time of Galley and its PostgreSQL for a post', 'ofGalley', batched, null, target),
    ...processor(
      'processor time of Galley and its PostgreSQL for a post, batch: off',
      'ofGalley',
      single,
      null,
    ),
  ]
}

/** Posts with one picture each. */
export async function measurePictures(
  stage: Stage,
  { loop, model, sites }: Sides,
  { rounds, documents }: Backlog,
  addressOf: (documentId: string) => string,
): Promise<Figure[]> {
  const { careless, galley } = await inTurn(rounds, {
    careless: () => postCarelessly(stage, loop, model, documents),
    galley: () => deliverBacklog(stage, { siteId: sites.batched, documents, picture: addressOf }),
  })
  return [rate('backlog with a picture each', galley, careless, 0.9)]
}

/** The loop's turn. Removes its posts. */
async function postCarelessly(
  { wordpress, clocks }: Stage,
  loop: CarelessLoop,
  model: Model,
  posts: number,
): Promise<Taken> {
  const above = await newestPost(wordpress)
  const began = clocks.wordPress()
  const perSecond = await loop.run(model, posts)
  const ofWordPress = since(began, clocks.wordPress(), posts)
  await removeMade(wordpress, above)
  return { perSecond, ofWordPress, ofGalley: null }
}

/** A rate beside another; `atLeast` of it is wanted, if anything. */
export const rate = (figure: string, measured: Taken[], baseline: Taken[], atLeast?: number): Figure => ({
  figure,
  unit: 'perSecond',
  ...beside(
    measured.map(({ perSecond }) => perSecond),
    baseline.map(({ perSecond }) => perSecond),
  ),
  target: atLeast === undefined ? null : { ratio: 'at least', limit: atLeast },
})

/** No figure where the processes cannot be found. */
function processor(
  figure: string,
  whose: 'ofWordPress' | 'ofGalley',
  measured: Taken[],
  baseline: Taken[] | null,
  target: Target | null = null,
): Figure[] {
  const times = (taken: Taken[]) => taken.flatMap((one) => one[whose] ?? [])
  const [of, besides] = [times(measured), times(baseline ?? [])]
  if (of.length === 0) return []
  const unit = 'milliseconds'
  return besides.length === of.length
    ? [{ figure, unit, ...beside(of, besides), target }]
    : [{ figure, unit, measured: median(of), baseline: null, ratio: null, target }]
}
