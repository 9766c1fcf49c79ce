const started = new Map<string, Promise<unknown>>()

/** Each project loads the modules of its global setup anew; what they started is found here. */
const ofThisProcess = globalThis as { galleyTestsStarted?: Map<string, Promise<unknown>> }
ofThisProcess.galleyTestsStarted ??= started

/**
 * Starts something in vitest's own process for the first project that needs it; the others get the same.
 * @returns what was started, and whether it was this call that started it, which then has to end it
 */
export async function startOnce<Thing>(name: string, start: () => Promise<Thing>): Promise<[Thing, boolean]> {
  const all = ofThisProcess.galleyTestsStarted ?? started
  const isFirst = !all.has(name)
  if (isFirst) all.set(name, start())
  return [(await all.get(name)) as Thing, isFirst]
}
