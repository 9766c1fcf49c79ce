/**
 * The rows of a page, each the very one that was there before where it says the same: DataViews copies all of them with every
 * filter, and whoever is handed a copy draws it anew.
 *
 * @returns `before` where nothing has changed
 */
export function reuseRows<Row extends { id: string }>(before: Row[], next: Row[]): Row[] {
  if (before === next) return before
  const known = new Map(before.map((row) => [row.id, row]))
  const kept = next.map((row) => {
    const old = known.get(row.id)
    return old !== undefined && isSame(old, row) ? old : row
  })
  return kept.length === before.length && kept.every((row, at) => row === before[at]) ? before : kept
}

/** Whether both have the same members. Those that are objects are the same where an answer says the same again. */
function isSame(one: object, other: object): boolean {
  const [members, others] = [one, other].map((row) => Object.entries({ ...row, position: undefined }))
  const values = new Map(others)
  return (
    members?.length === others?.length && (members ?? []).every(([name, value]) => values.get(name) === value)
  )
}
