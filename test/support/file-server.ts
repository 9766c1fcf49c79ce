import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Serves files over loopback, and counts what was asked for. */
export interface FileServer {
  url: string
  /** Paths, in the order they were requested. */
  requests: string[]
  close(): Promise<void>
}

export async function serveFiles(
  files: Record<string, { type: string; bytes: Buffer }>,
): Promise<FileServer> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    requests.push(path)
    const file = files[path]
    if (file === undefined) response.writeHead(404).end()
    else
      response
        .writeHead(200, { 'content-type': file.type, 'content-length': file.bytes.length })
        .end(file.bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
