/** The parts of an array: what stands apart, each by itself, and the inline content between as one array. */
export function runsOf(values: readonly unknown[], standsApart: (value: unknown) => boolean): unknown[] {
  const parts: unknown[] = []
  let run: unknown[] | undefined
  for (const value of values) {
    if (standsApart(value)) {
      parts.push(value)
      run = undefined
    } else if (run === undefined) {
      run = [value]
      parts.push(run)
    } else run.push(value)
  }
  return parts
}
