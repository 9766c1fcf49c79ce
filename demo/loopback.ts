import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Listens on loopback and answers the port, a free one where none is asked for. */
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

/** A port that was free a moment ago, for a program that must be told its port beforehand. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listenOnLoopback(server)
  await closeServer(server)
  return port
}
