import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const photograph = readFileSync(new URL('../../demo/pictures/moon-over-the-bay.jpg', import.meta.url))

/** What the pictures are, for whoever reads the figures. */
export const PICTURE = `a JPEG of 1536 × 1024, ${Math.round(photograph.length / 1_000)} kB`

/** A photograph that differs from every other by a comment in it: no two documents share a file. */
export function pictureOf(documentId: string): Buffer {
  const text = Buffer.from(documentId)
  const comment = Buffer.from([0xff, 0xfe, 0, text.length + 2])
  // Behind the two bytes with which every JPEG begins.
  return Buffer.concat([photograph.subarray(0, 2), comment, text, photograph.subarray(2)])
}

export interface Pictures {
  addressOf(documentId: string): string
  close(): void
}

/** Serves the picture of every document, on loopback. */
export async function servePictures(): Promise<Pictures> {
  const server = createServer((request, response) => {
    const bytes = pictureOf(request.url?.slice(1, -'.jpg'.length) ?? '')
    response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': bytes.length }).end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    addressOf: (documentId) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${documentId}.jpg`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
