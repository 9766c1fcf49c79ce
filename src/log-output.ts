import { pino } from 'pino'

/** How a line ends that can wait for the end of this turn of the event loop: all it says is that a request was answered. */
const CAN_WAIT = `${JSON.stringify({ msg: 'request completed' }).slice(1)}\n`

/** Characters that wait at most; the package takes less than 16 KiB. */
const MOST_WAITING = 16_000

/**
 * Where lines of the log are written. Requests that are answered in the same turn of the event loop share a write, which
 * costs as much as making the line: under load ten webhooks are. Any other line is written at once, and those that wait
 * with it, so that what was done before a process died is there to be read.
 *
 * @param dest a file, or the descriptor of one
 */
export function logOutput(dest: string | number = 1): { write(line: string): void; flushSync(): void } {
  const output = pino.destination({ dest, sync: true, minLength: MOST_WAITING })
  const flushSync = () => output.flushSync()
  let planned = false
  process.once('exit', flushSync)
  return {
    write(line) {
      output.write(line)
      if (!line.endsWith(CAN_WAIT)) return flushSync()
      if (planned) return
      planned = true
      setImmediate(() => {
        planned = false
        flushSync()
      })
    },
    // for pino, which calls it after a fatal line
    flushSync,
  }
}
