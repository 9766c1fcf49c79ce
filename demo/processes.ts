// Child processes and ports of this machine.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

/** Asks a process to end, and kills it after `graceMs`. Resolves when it has ended. */
export async function endChild(child: ChildProcess, graceMs: number): Promise<void> {
  if (hasEnded(child)) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const killer = setTimeout(() => child.kill('SIGKILL'), graceMs)
  await ended
  clearTimeout(killer)
}

/** Listens on loopback and returns the port, a free one where none is asked for. */
export function listenOnLoopback(server: Server, port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()))
    server.closeAllConnections()
  })
}

/** A port that is free now, for a program that has to know its port beforehand. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listenOnLoopback(server)
  await closeServer(server)
  return port
}
