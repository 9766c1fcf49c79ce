import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname } from 'node:path'
import { closeServer, listenOnLoopback } from './loopback.ts'

const folder = new URL('pictures/', import.meta.url)
const types: Record<string, string> = { '.jpg': 'image/jpeg', '.png': 'image/png' }

export interface PictureServer {
  /** Ends in `/`; a picture's file name goes behind it. */
  url: string
  stop(): Promise<void>
}

/** Serves the shipped pictures on loopback, as the service that made the document would serve its own. */
export async function servePictures(): Promise<PictureServer> {
  const pictures = new Map(
    readdirSync(folder).map((name) => [`/${name}`, readFileSync(new URL(name, folder))]),
  )
  const server = createServer(({ url = '/' }, response) => {
    const picture = pictures.get(url)
    if (picture) response.writeHead(200, { 'content-type': types[extname(url)] }).end(picture)
    else response.writeHead(404).end()
  })
  const port = await listenOnLoopback(server)
  return { url: `http://127.0.0.1:${port}/`, stop: () => closeServer(server) }
}
