/** Longest pause in milliseconds, unless the other side asks for another. */
export const MAX_PAUSE_MS = 15 * 60_000

/**
 * SQL: when a pause that begins now is over: `:firstMs`, doubled with each failure up to 15 minutes, and up to a tenth longer so
 * that those who wait do not return together. `:requestedMs`, what a `Retry-After` says or null, takes precedence.
 * @param failures in a row before this one, as SQL
 * @param longestMs the longest pause, as SQL
 */
export const pauseEnd = (failures: string, longestMs: string | number = MAX_PAUSE_MS): string =>
  `now() + interval '1 millisecond' * coalesce(:requestedMs::float8,
    least(:firstMs::float8 * 2 ^ least(${failures}, 20), ${longestMs}) * (1 + random() / 10))`

/** An outage is young for so long, and is looked at often. Milliseconds. */
const YOUNG_MS = 10 * 60_000
const LONGEST_PAUSE_OF_YOUNG_MS = 30_000

/** SQL: the longest pause, in milliseconds: 30 s in an outage's first ten minutes, then a fifth of its age. */
export const longestPauseMs = (since: string): string => {
  const ageMs = `extract(epoch FROM now() - ${since}) * 1000`
  return `CASE WHEN ${ageMs} < ${YOUNG_MS} THEN ${LONGEST_PAUSE_OF_YOUNG_MS} ELSE least(${ageMs} / 5, ${MAX_PAUSE_MS}) END`
}
