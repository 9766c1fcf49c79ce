/** What has the same key together, in the order in which it comes: `Map.groupBy`, which Node 20 does not have. */
export function groupBy<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const same = groups.get(key)
    if (same === undefined) groups.set(key, [item])
    else same.push(item)
  }
  return groups
}
