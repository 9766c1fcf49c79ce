/**
 * What somebody has seen: a snapshot of PostgreSQL, which names the transactions that were over then. What has become visible
 * since is what was written by any other, in whichever order they began: nothing is missed that was begun before and
 * committed later, as with a sequence of numbers, and nobody waits for the slowest.
 */
export interface Position {
  /** Which recording it belongs to: a database that crashed, or was restored, begins another. */
  epoch: string
  /** The oldest transaction that was under way. */
  xmin: bigint
  /** The first that had not begun. */
  xmax: bigint
  /** Those that were under way. */
  underWay: readonly bigint[]
}

/** Longest id of an event: it comes back in a header. */
const LONGEST = 2_000

const SNAPSHOT = /^(\d{1,18}):(\d{1,18}):((?:\d{1,18},)*\d{1,18})?$/

/** Reads `pg_current_snapshot()`. */
export function positionOf(epoch: string, snapshot: string): Position {
  const [, xmin, xmax, list] = SNAPSHOT.exec(snapshot) ?? []
  if (xmin === undefined || xmax === undefined) throw new Error(`${snapshot} is not a snapshot`)
  return { epoch, xmin: BigInt(xmin), xmax: BigInt(xmax), underWay: list?.split(',').map(BigInt) ?? [] }
}

/** A position as the id of an event. Where very many transactions were under way, it is an earlier one, and some comes twice. */
export function idOf({ epoch, xmin, xmax, underWay }: Position): string {
  const id = `${epoch}-${xmin}:${xmax}:${underWay.join(',')}`
  return id.length <= LONGEST ? id : `${epoch}-${xmin}:${xmin}:`
}

/** Reads an id that came back; undefined for what is none. */
export function readPosition(id: string): Position | undefined {
  const [epoch = '', snapshot = '', ...more] = id.slice(0, LONGEST + 1).split('-')
  if (id.length > LONGEST || more.length > 0 || !/^\d{1,10}$/.test(epoch) || !SNAPSHOT.test(snapshot))
    return undefined
  return positionOf(epoch, snapshot)
}

/** The parameters by which a statement finds what became visible since. */
export const since = ({ xmax, underWay }: Position): { xmax: string; underWay: string[] } => ({
  xmax: String(xmax),
  underWay: underWay.map(String),
})
