import type { Log } from './types.ts'

const firstAfterMs = 2_000
const thenEveryMs = 10_000

/** Waits for `work`, and says what is being waited for once that takes longer than two seconds. */
export async function waitingFor<T>(what: string, log: Log, work: Promise<T>): Promise<T> {
  const since = Date.now()
  const tell = () => {
    log(`${what} (${Math.round((Date.now() - since) / 1000)} s) …`)
    timer = setTimeout(tell, thenEveryMs)
  }
  let timer = setTimeout(tell, firstAfterMs)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}
