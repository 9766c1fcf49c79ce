// The shipped document, as the service that made it would send it, with its pictures.
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname } from 'node:path'
import { closeServer, listenOnLoopback } from './processes.ts'

const sample = readFileSync(new URL('sample.json', import.meta.url), 'utf8')

interface SampleOptions {
  /** UUID of the connected site. */
  siteId: string
  /** Base address of the pictures, ending in `/`. */
  picturesUrl: string
  postStatus: 'draft' | 'publish'
}

/** A `document.completed` webhook (docs/contract.md), as far as the demo reads it. */
export interface SampleWebhook {
  id: string
  data: { title: string }
  delivery: object
}

/** The shipped webhook, with a new document id every time. */
export function sampleWebhook({ siteId, picturesUrl, postStatus }: SampleOptions): SampleWebhook {
  const webhook: SampleWebhook = JSON.parse(sample, (_key, value) =>
    typeof value === 'string' ? value.replace(/^pictures\//, picturesUrl) : value,
  )
  const delivery = { ...webhook.delivery, id: siteId, post_status: postStatus }
  return { ...webhook, id: randomUUID(), delivery }
}

const folder = new URL('pictures/', import.meta.url)
const types: Record<string, string> = { '.jpg': 'image/jpeg', '.png': 'image/png' }

export interface PictureServer {
  /** Ends in `/`; the file name of a picture follows. */
  url: string
  stop(): Promise<void>
}

/** Serves the shipped pictures on loopback. */
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
