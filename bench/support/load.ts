import { setTimeout as sleep } from 'node:timers/promises'

/** What a burst of work came to. */
export interface Load {
  /** Finished within the time, a second. */
  perSecond: number
  /** Of each, in milliseconds. */
  latencies: number[]
}

/** Closed loop: each of `lanes` begins the next piece of work as soon as its last is done, for `seconds`. */
export async function fullLoad(lanes: readonly (() => Promise<void>)[], seconds: number): Promise<Load> {
  const latencies: number[] = []
  const began = performance.now()
  const end = began + seconds * 1_000
  await Promise.all(
    lanes.map(async (work) => {
      for (let from = performance.now(); from < end; ) {
        await work()
        const now = performance.now()
        latencies.push(now - from)
        from = now
      }
    }),
  )
  return { perSecond: (latencies.length * 1_000) / (performance.now() - began), latencies }
}

/**
 * Open loop: work begins at a fixed rate whether or not the last is done, as webhooks come. Latency counts from
 * the moment a piece was due, so that a stall is seen by all that came during it and not by one alone.
 */
export async function steadyLoad(
  lanes: readonly (() => Promise<void>)[],
  { rate, seconds }: { rate: number; seconds: number },
): Promise<Load> {
  const idle = [...lanes]
  const due: number[] = []
  const latencies: number[] = []
  const underWay = new Set<Promise<void>>()
  const failures: unknown[] = []
  const began = performance.now()

  const start = () => {
    while (due.length > 0 && idle.length > 0) {
      const from = due.shift() as number
      // The one that has rested longest: a server ends connections that lie idle.
      const work = idle.shift() as () => Promise<void>
      const done = work()
        .then(() => latencies.push(performance.now() - from))
        .catch((error: unknown) => failures.push(error))
        .then(() => {
          underWay.delete(done)
          idle.push(work)
          start()
        })
      underWay.add(done)
    }
  }
  const total = Math.round(rate * seconds)
  for (let sent = 0; sent < total; ) {
    for (; sent < total && began + (sent * 1_000) / rate <= performance.now(); sent += 1)
      due.push(began + (sent * 1_000) / rate)
    start()
    await sleep(1)
  }
  while (underWay.size > 0 || due.length > 0) await Promise.race(underWay)
  if (failures.length > 0) throw failures[0]
  return { perSecond: (latencies.length * 1_000) / (performance.now() - began), latencies }
}
