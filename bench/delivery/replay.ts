import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import type { RecordedRequest } from './record.ts'
import type { BenchWordPress } from './wordpress.ts'

/** Makes the requests of a recorded delivery again and again, for new documents, and nothing else. */
export interface Replayer {
  /** The requests in words, as `POST posts, GET posts/{post}`. */
  summary: string
  /** Ids of the posts it made. */
  made: number[]
  /** @returns posts a second */
  run(documents: number): Promise<number>
  close(): Promise<void>
}

/** @throws where no request of the recording made a post */
export async function startReplayer(
  { url, username, applicationPassword }: BenchWordPress,
  recording: readonly RecordedRequest[],
  atATime: number,
): Promise<Replayer> {
  const original = originalOf(recording)
  const steps = recording.map(({ method, path, body }) => ({
    method: method as 'GET' | 'POST',
    path: path.replace(`/posts/${original.postId}`, '/posts/{post}'),
    body: body.replaceAll(original.documentId, '{document}'),
  }))
  const pool = new Pool(url, { connections: atATime })
  const headers = {
    authorization: `Basic ${Buffer.from(`${username}:${applicationPassword}`).toString('base64')}`,
    'content-type': 'application/json',
    accept: 'application/json',
  }
  const made: number[] = []

  async function one(): Promise<void> {
    const documentId = randomUUID()
    let postId = ''
    for (const { method, path, body } of steps) {
      const response = await pool.request({
        method,
        path: path.replace('{post}', postId),
        headers,
        body: body === '' ? null : body.replaceAll('{document}', documentId),
      })
      const text = await response.body.text()
      if (response.statusCode > 299)
        throw new Error(`WordPress answered ${response.statusCode}: ${text.slice(0, 300)}`)
      if (isReserve(method, path)) {
        postId = String(JSON.parse(text).id)
        made.push(Number(postId))
      }
    }
  }

  return {
    summary: steps
      .map(({ method, path }) => `${method} ${/\/wp\/v2\/([^?]*)/.exec(path)?.[1] ?? path}`)
      .join(', '),
    made,
    async run(documents) {
      let left = documents
      const began = performance.now()
      const line = async () => {
        while (left > 0) {
          left -= 1
          await one()
        }
      }
      await Promise.all(Array.from({ length: atATime }, line))
      return (documents * 1_000) / (performance.now() - began)
    },
    close: () => pool.close(),
  }
}

const isReserve = (method: string, path: string): boolean => method === 'POST' && /\/posts(\?|$)/.test(path)

/** The post that the recording made, and the document it was made for. */
function originalOf(recording: readonly RecordedRequest[]): { postId: number; documentId: string } {
  const reserve = recording.find(({ method, path }) => isReserve(method, path))
  if (reserve === undefined) throw new Error('The recorded delivery made no post')
  const { slug } = JSON.parse(reserve.body) as { slug: string }
  return { postId: JSON.parse(reserve.answer).id, documentId: slug.replace('galley-', '') }
}
