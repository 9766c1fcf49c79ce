import type { Writable } from 'node:stream'
import { type DestinationStream, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino'
import type { Config } from '../config/config.ts'
import { redactSecretMembers, redactSecrets } from './redact.ts'

export type { Logger } from 'pino'

/**
 * The log of this process: JSON lines. What is called a secret is replaced whole; then each line is searched, as it is written,
 * for what looks like one. @param destination standard output where left out
 */
export function createLog(
  { logLevel }: Pick<Config, 'logLevel'>,
  destination: DestinationStream = createLogDestination(),
): Logger {
  const options = {
    level: logLevel,
    base: { pid: process.pid },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { log: redactSecretMembers, bindings: redactSecretMembers },
    serializers: { err: serializeError },
    hooks: { streamWrite: redactSecrets },
  }
  return pino(options, destination)
}

/** Pino glues the messages of causes to that of the error; they are in the stack as well. */
const serializeError = (error: Error) => {
  const serialized = stdSerializers.err(error)
  if (error instanceof Error) serialized.message = error.message
  return redactSecretMembers(serialized)
}

/** How a line ends that can wait for the end of this turn of the event loop: all it says is that a request was answered. */
const DEFERRABLE_ENDING = `${JSON.stringify({ msg: 'request completed' }).slice(1)}\n`

/** Characters that wait at most for the end of the turn. */
const MAX_DEFERRED = 16_000

/** Characters that are kept where nothing can be written (a full disk), until something can; what comes then is dropped. */
const MAX_BUFFERED = 1_000_000

/**
 * Where lines of the log are written. Requests that are answered in the same turn of the event loop share a write, which costs
 * as much as making the line. Any other line is written at once, with those that wait, so that it outlives the process. A log
 * that cannot be written stops nothing.
 * @param dest a file, or the descriptor of one
 */
export function createLogDestination(dest: string | number = 1): {
  write(line: string): void
  flushSync(): void
} {
  const output = pino.destination({ dest, sync: true, maxLength: MAX_BUFFERED })
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
      if (!line.endsWith(DEFERRABLE_ENDING) || waiting.length > MAX_DEFERRED) return writeOut()
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

/** Lines for a person in a terminal, where requests that went well are shown from the level `debug` on; JSON anywhere else. */
export async function createServiceDestination(
  { logLevel }: Pick<Config, 'logLevel'>,
  output: Writable & { isTTY?: boolean } = process.stdout,
): Promise<DestinationStream> {
  if (!output.isTTY) return createLogDestination()
  const { default: pretty } = await import('pino-pretty')
  const person = pretty({
    destination: output,
    ignore: 'pid,subsystem',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  })
  const isQuiet = logLevel !== 'debug' && logLevel !== 'trace'
  return {
    write(line) {
      if (!isQuiet || !line.endsWith(DEFERRABLE_ENDING)) person.write(line)
    },
  }
}

/** Writes a line to standard output; resolves once it is out, rejects where nobody takes it. */
export const printLine = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    // A closed pipe is told to the callback, and after it as an event that would end the process.
    process.stdout.once('error', reject)
    process.stdout.write(`${text}\n`, (error) => {
      if (error) return reject(error)
      process.stdout.off('error', reject)
      resolve()
    })
  })
