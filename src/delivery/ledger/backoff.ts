const MINUTE = 60_000

/** Milliseconds between two attempts of a delivery at most, unless its site asks for more. */
export const LONGEST_BACKOFF_MS = 60 * MINUTE

/** Failures that count against a delivery before it is given up. */
export const MOST_ATTEMPTS = 8

/**
 * Failures of its site in a row that may be hiccups. A site that fails this delivery again and again may answer well to all
 * else that is asked of it, and is in trouble all the same.
 */
export const MOST_HICCUPS = 3

/**
 * Failures of its site in a row after which a delivery is held: about a day of probes a quarter of an hour apart. Only a
 * document that nobody follows gets there: a probe takes whichever the site failed longest ago.
 */
export const MOST_SITE_FAILURES = 100

/** Puts a delivery that met its site's trouble behind the others. Milliseconds. */
export const SITE_FAILURE_SPACING_MS = 1_000

/**
 * Milliseconds before the next attempt of a delivery that failed for the `attempts`th time; with the standard first
 * pause of 10 s: 10 s, 30 s, 90 s, 4.5 min, 13.5 min, 40 min, then an hour; about two hours in all.
 */
export const deliveryBackoff = (attempts: number, firstMs: number): number =>
  Math.min(firstMs * 3 ** (attempts - 1), LONGEST_BACKOFF_MS)
