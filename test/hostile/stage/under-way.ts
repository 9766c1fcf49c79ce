/** What was asked of the service and when: to tell what it was busy with while it answered nobody. */
export interface UnderWay {
  during<Result>(label: string, work: () => Promise<Result>): Promise<Result>
  /** What was being asked at a moment, given as `Date.now()` has it. */
  at(moment: number): string[]
}

export function watchWork(): UnderWay {
  const asked: { label: string; from: number; to: number }[] = []
  return {
    async during(label, work) {
      const entry = { label, from: Date.now(), to: Number.POSITIVE_INFINITY }
      asked.push(entry)
      try {
        return await work()
      } finally {
        entry.to = Date.now()
      }
    },
    at: (moment) => asked.filter(({ from, to }) => from <= moment && to >= moment).map(({ label }) => label),
  }
}
