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
