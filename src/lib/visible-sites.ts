/** The sites that a key sees; null for all of its account. */
export type VisibleSites = readonly string[] | null

const setCache = new WeakMap<readonly string[], ReadonlySet<string>>()

/** A list as a set, made once for as long as there is that list. */
export function cachedSet(list: readonly string[]): ReadonlySet<string> {
  const set = setCache.get(list) ?? new Set(list)
  setCache.set(list, set)
  return set
}

/** Whether these are the same sites, in whichever order. No list has one twice. */
export function sameSites(known: VisibleSites, now: VisibleSites): boolean {
  if (known === null || now === null) return known === now
  if (known === now) return true
  if (known.length !== now.length) return false
  const set = cachedSet(known)
  return now.every((id) => set.has(id))
}

/** Whether who sees these sites sees all that something limited in this way could reach: labels may change at any time. */
export function isWithinVisible(
  seen: VisibleSites,
  { siteIds, labels }: { siteIds: readonly string[]; labels: readonly string[] },
): boolean {
  if (seen === null) return true
  const set = cachedSet(seen)
  return siteIds.length > 0 && labels.length === 0 && siteIds.every((id) => set.has(id))
}
