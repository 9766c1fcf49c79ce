import { text } from 'node:stream/consumers'
import type { World } from './world.ts'

/** The world of this process. */
export function thisWorld(): World {
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
    read: () => text(process.stdin),
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    watched: process.stderr.isTTY === true,
    stop: stop.signal,
  }
}
