/** Everything that was wrong in a run: one line a kind, with the first few examples of each. */
export interface Findings {
  /** @param what the kind of fault; @param example what was sent, short enough to be read */
  add(what: string, example: string): void
  /** The kinds found since the last time, with their counts and examples. */
  take(): string[]
}

const EXAMPLES = 3

export function collectFindings(): Findings {
  const kinds = new Map<string, { count: number; examples: string[] }>()
  return {
    add(what, example) {
      const kind = kinds.get(what) ?? { count: 0, examples: [] }
      kinds.set(what, kind)
      kind.count += 1
      if (kind.examples.length < EXAMPLES) kind.examples.push(excerpt(example))
    },
    take() {
      const found = [...kinds]
      kinds.clear()
      return found.map(
        ([what, { count, examples }]) => `${what}, ${count} times:\n    ${examples.join('\n    ')}`,
      )
    },
  }
}

/** The beginning of a text, on one line. */
export const excerpt = (text: string, length = 300): string => {
  const line = JSON.stringify(text).slice(1, -1)
  return line.length > length ? `${line.slice(0, length)}… (${text.length})` : line
}
