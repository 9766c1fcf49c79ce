import { pino } from 'pino'

/** How a line ends that can wait for the end of this turn of the event loop: all it says is that a request was answered. */
const CAN_WAIT = `${JSON.stringify({ msg: 'request completed' }).slice(1)}\n`

/** Characters that wait at most for the end of the turn. */
const MOST_WAITING = 16_000

/** Characters that are kept where nothing can be written (a full disk), until something can; what comes then is dropped. */
const MOST_KEPT = 1_000_000

/**
 * Where lines of the log are written. Requests that are answered in the same turn of the event loop share a write, which
 * costs as much as making the line: under load ten webhooks are. Any other line is written at once, and those that wait
 * with it, so that what was done before a process died is there to be read: the system keeps what it was given. It is not
 * asked to bring each to the disk (`flushSync` of the package does), for which everybody would wait.
 *
 * A log that cannot be written stops nothing.
 *
 * @param dest a file, or the descriptor of one
 */
export function logOutput(dest: string | number = 1): { write(line: string): void; flushSync(): void } {
  const output = pino.destination({ dest, sync: true, maxLength: MOST_KEPT })
  output.on('error', () => undefined)
  let waiting = ''
  let planned = false
  const writeOut = () => {
    const lines = waiting
    waiting = ''
    if (lines !== '') output.write(lines)
  }
  process.once('exit', writeOut)
  return {
    write(line) {
      waiting += line
      if (!line.endsWith(CAN_WAIT) || waiting.length > MOST_WAITING) return writeOut()
      if (planned) return
      planned = true
      setImmediate(() => {
        planned = false
        writeOut()
      })
    },
    // for pino, which calls it after a fatal line
    flushSync: writeOut,
  }
}
