import { buffer } from 'node:stream/consumers'

/** What a command meets: the terminal, the environment, and whoever presses Ctrl-C. A test gives its own. */
export interface CliWorld {
  env: Readonly<Record<string, string | undefined>>
  /** Standard output. Resolves once it is out, rejects where nobody takes it. */
  write(text: string): Promise<void>
  /** Standard error: progress, warnings, failures. */
  note(text: string): void
  /** Standard input. */
  read(): Promise<Buffer>
  /** Of the terminal; undefined where the output is no terminal. */
  columns: number | undefined
  /** Whether a person reads standard error as it is written. */
  watched: boolean
  stop: AbortSignal
}

export function processWorld(): CliWorld {
  const stop = new AbortController()
  // The second Ctrl-C ends the process, whatever it does.
  process.once('SIGINT', () => stop.abort())
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
  return {
    env: process.env,
    write: (piece) =>
      new Promise((resolve, reject) => {
        process.stdout.write(piece, (error) => (error ? reject(error) : resolve()))
      }),
    note: (line) => void process.stderr.write(`${line}\n`),
    read: () => buffer(process.stdin),
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    watched: process.stderr.isTTY === true,
    stop: stop.signal,
  }
}
