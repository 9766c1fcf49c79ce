/** The sites that a key sees; null for all of its account. */
export type SeenSites = readonly string[] | null

const sets = new WeakMap<readonly string[], ReadonlySet<string>>()

/** A list as a set, made once for as long as there is that list. */
export function setOf(list: readonly string[]): ReadonlySet<string> {
  const set = sets.get(list) ?? new Set(list)
  sets.set(list, set)
  return set
}

/** Whether these are the same sites, in whichever order. No list has one twice. */
export function sameSites(known: SeenSites, now: SeenSites): boolean {
  if (known === null || now === null) return known === now
  if (known === now) return true
  if (known.length !== now.length) return false
  const set = setOf(known)
  return now.every((id) => set.has(id))
}

/**
 * Whether somebody who sees these sites sees all that something limited in this way could reach: a site may get a label,
 * or lose one, at any time, and what names no site at all reaches every one.
 */
export function isWithinSeen(
  seen: SeenSites,
  { siteIds, labels }: { siteIds: readonly string[]; labels: readonly string[] },
): boolean {
  if (seen === null) return true
  const set = setOf(seen)
  return siteIds.length > 0 && labels.length === 0 && siteIds.every((id) => set.has(id))
}
