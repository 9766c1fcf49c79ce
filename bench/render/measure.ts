/**
 * Microseconds of processor time that one call takes: the least of many samples, since whatever else the machine
 * does can only add to it.
 */
export function least(samples: readonly number[]): number {
  return samples.reduce((low, sample) => Math.min(low, sample))
}

/** Processor time of this process over `calls` calls, per call, in microseconds. */
export function processorTime(work: () => unknown, calls: number): number {
  const before = process.cpuUsage()
  for (let call = 0; call < calls; call += 1) work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / calls
}

/** Bytes allocated by one call. Needs `--expose-gc`, and a young generation that holds them all. */
export function allocated(work: () => unknown): number {
  if (globalThis.gc === undefined) throw new Error('run with node --expose-gc')
  globalThis.gc()
  const before = process.memoryUsage().heapUsed
  work()
  return process.memoryUsage().heapUsed - before
}
