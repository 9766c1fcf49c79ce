/**
 * Work on one thing that does not get better by being done several times at once: whoever asks while a run is under way
 * shares one more with all others who do, which begins when that one has ended, so that it sees what they had changed.
 */
export function joinedRuns<Result>(): (key: string, run: () => Promise<Result>) => Promise<Result> {
  const underWay = new Map<string, Promise<Result>>()
  const following = new Map<string, Promise<Result>>()
  const begin = (key: string, run: () => Promise<Result>): Promise<Result> => {
    const result = run().finally(() => underWay.delete(key))
    underWay.set(key, result)
    return result
  }
  return (key, run) => {
    const before = underWay.get(key)
    if (before === undefined) return begin(key, run)
    const shared =
      following.get(key) ??
      before
        .catch(() => undefined)
        .then(() => {
          following.delete(key)
          return begin(key, run)
        })
    following.set(key, shared)
    return shared
  }
}
