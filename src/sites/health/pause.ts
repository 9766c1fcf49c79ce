/** Milliseconds for which a site is left alone at most, unless it says so itself. */
export const LONGEST_PAUSE_MS = 15 * 60_000

/**
 * Milliseconds for which a site in trouble is left alone after its `failures`th failure in a row; with the standard
 * first pause of 5 s: 5 s, 10 s, 20 s … up to 15 minutes, each up to a tenth longer so that sites do not return
 * together. A `Retry-After` of the site's own is honoured instead, which its reading has kept between a second and an hour
 * (retry-after.ts).
 */
export function sitePause(
  failures: number,
  { firstMs, retryAfterMs, random }: { firstMs: number; retryAfterMs: number | undefined; random: number },
): number {
  if (retryAfterMs !== undefined) return retryAfterMs
  const pause = Math.min(firstMs * 2 ** (failures - 1), LONGEST_PAUSE_MS)
  return Math.round(pause * (1 + random / 10))
}
