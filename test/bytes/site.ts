import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerOf, type SimulatedPost } from '../../bench/support/simulator.ts'
import { png } from '../support/files.ts'
import { methodOf } from '../support/proxy/index.ts'

/** Bytes of a picture, by whatever address below `/pictures/` it is asked for. */
export const PICTURE_BYTES = 10 * 1024 * 1024

/** WordPress sites and a host of pictures in one, that keep nothing of what they get. */
export interface Site {
  url: string
  /** Bytes of uploads that arrived, in all. */
  uploaded(): number
  close(): Promise<void>
}

export async function startSite(): Promise<Site> {
  const picture = png(1600, 900, [20, 90, 160])
  const filling = Buffer.alloc(1024 * 1024)
  const posts = new Map<number, SimulatedPost>()
  const media: Record<string, unknown>[] = []
  let uploaded = 0

  const json = (response: ServerResponse, status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

  async function sendPicture(response: ServerResponse) {
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': PICTURE_BYTES })
    response.write(picture)
    for (let left = PICTURE_BYTES - picture.length; left > 0; left -= filling.length)
      if (!response.write(filling.subarray(0, left))) await once(response, 'drain')
    response.end()
  }

  async function takeUpload(request: IncomingMessage, response: ServerResponse) {
    let head = ''
    for await (const chunk of request) {
      if (head.length < 4_000) head += (chunk as Buffer).toString('latin1', 0, 4_000)
      uploaded += (chunk as Buffer).length
    }
    const field = (name: string) => new RegExp(`name="${name}"\r\n\r\n([^\r]*)`).exec(head)?.[1] ?? ''
    const id = media.length + 1
    const record = {
      id,
      slug: field('slug'),
      status: 'inherit',
      source_url: `http://site/${/filename="([^"]*)"/.exec(head)?.[1]}`,
      mime_type: 'image/png',
      alt_text: field('alt_text'),
      title: { raw: field('title') },
      post: Number(field('post')),
      media_details: {},
    }
    media.push(record)
    json(response, 201, record)
  }

  const server = createServer(async (request, response) => {
    const url = request.url ?? ''
    if (url.startsWith('/pictures/')) return sendPicture(response)
    if (url.includes('/wp/v2/users/me'))
      return json(response, 200, { id: 1, name: 'A', roles: ['editor'], capabilities: RIGHTS })
    if (url.includes('/wp/v2/media'))
      return methodOf(request) === 'POST' ? takeUpload(request, response) : json(response, 200, media)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const answer = answerOf(methodOf(request), url, body, posts)
    return json(response, answer.status, answer.json)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    uploaded: () => uploaded,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const RIGHTS = { upload_files: true, publish_posts: true, edit_posts: true }
