import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A web server on loopback for the length of a test; answers its address. */
export async function serve(listener: RequestListener): Promise<URL> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
}
