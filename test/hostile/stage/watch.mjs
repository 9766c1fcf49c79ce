// Put into the service under test with --import: watches what nobody outside can see, and tells it when asked.
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Milliseconds between two looks at the memory, and at the clock. */
const LOOK_MS = 50

/** A stop of the one thread that answers everybody, in milliseconds, from which it is told by itself. */
const STALL_MS = 250

const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()

const peak = { rss: 0, heapUsed: 0, external: 0 }
let stalls = []
let last = Date.now()

setInterval(() => {
  const now = Date.now()
  const late = now - last - LOOK_MS
  if (late >= STALL_MS) stalls.push({ from: last, ms: late })
  last = now
  const memory = process.memoryUsage()
  for (const part of Object.keys(peak)) peak[part] = Math.max(peak[part], memory[part])
}, LOOK_MS).unref()

process.on('message', () => {
  process.send({ delayMs: { max: delay.max / 1e6, mean: delay.mean / 1e6 }, peak: { ...peak }, stalls })
  delay.reset()
  stalls = []
})
// Being asked is no reason to stay.
process.channel?.unref()

// The end of its input says that the test run has ended, however that came; an exit would first wait for its log to be
// read, which nobody does any more.
process.stdin.once('close', () => process.kill(process.pid, 'SIGKILL'))
