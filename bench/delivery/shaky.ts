import {
  answer,
  answerAfter,
  type Fault,
  pages,
  resetBefore,
  startFaultProxy,
} from '../../test/support/proxy/index.ts'
import { seeded } from '../../test/support/random.ts'
import type { Figure } from '../benchmark.ts'
import { interleave, median } from '../support/rounds.ts'
import { type Backlog, deliverBacklog, rate } from './backlog.ts'
import type { Stage } from './stage.ts'

/** A backlog on a site of which one in so many requests fails, beside the same site when none does. */
export async function measureShaky(
  stage: Stage,
  { rounds, documents, often, seldom }: Backlog & { often: number; seldom: number },
): Promise<Figure[]> {
  const shaky = await startShaky(stage.wordpress.url)
  const requests: number[] = []
  try {
    const siteId = await stage.connect({ restRoot: `${shaky.url}/wp-json/` })
    const failing = (oneIn: number | null) => async () => {
      shaky.failOneIn(oneIn)
      const taken = await deliverBacklog(stage, { siteId, documents })
      const counted = shaky.counted()
      if (oneIn === null) requests.push(counted / documents)
      return taken
    }
    // The first ones find out what the site can do.
    await failing(null)()
    const taken = await interleave(rounds, {
      none: failing(null),
      often: failing(often),
      seldom: failing(seldom),
    })
    const share = (oneIn: number) => `${100 / oneIn} % of the requests fail`
    return [
      {
        figure: 'requests for a post of a backlog',
        unit: 'count',
        measured: median(requests),
        baseline: 1,
        ratio: median(requests),
        target: null,
      },
      rate(share(often), taken.often, taken.none, 0.8),
      rate(share(seldom), taken.seldom, taken.none, 0.9),
    ]
  } finally {
    await shaky.close()
  }
}

/** A proxy in front of a WordPress that lets some of the requests fail. */
export interface Shaky {
  url: string
  /** From now on one in so many requests fails, or none. */
  failOneIn(requests: number | null): void
  /** Requests since it was asked last. */
  counted(): number
  close(): Promise<void>
}

/**
 * In turn: WordPress never hears of it; a proxy answers in its place; WordPress does as it was told, and something else is
 * answered.
 */
const FAULTS: readonly Fault[] = [resetBefore, answer(pages.badGateway), answerAfter(pages.serverError)]

const none: Fault = {
  name: 'none',
  async apply({ forward, reply }) {
    reply(await forward())
  },
}

/**
 * Which of every so many requests fails is drawn by lot, the same in every run; a batch is one request. Exactly one of
 * each so many, so that a short round has its share of failures too.
 */
export async function startShaky(target: string): Promise<Shaky> {
  const proxy = await startFaultProxy(target)
  const draw = seeded(5).next
  let oneIn: number | null = null
  let place = 0
  let fails = 0
  let failures = 0
  let requests = 0

  const next = (): Fault => {
    requests += 1
    if (oneIn === null) return none
    if (place === 0) fails = Math.floor(draw() * oneIn)
    const failing = place === fails
    place = (place + 1) % oneIn
    if (!failing) return none
    failures += 1
    return FAULTS[failures % FAULTS.length] as Fault
  }
  proxy.rule({}, { name: 'by lot', apply: (exchange) => next().apply(exchange) })

  return {
    url: proxy.url,
    failOneIn(count) {
      oneIn = count
      place = 0
    },
    counted() {
      const count = requests
      requests = 0
      return count
    },
    close: () => proxy.close(),
  }
}
