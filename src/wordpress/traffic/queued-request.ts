import { isWireObject } from '../../blocks/wire.ts'
import type { Span } from '../../observe/trace.ts'
import { isSafeMethod } from '../../outbound/failures.ts'
import {
  type Answer,
  addCacheBuster,
  type PreparedRequest,
  routeUrl,
  type WordPressRequest,
} from '../client/client.ts'
import { MAX_BATCH_BYTES } from '../client/json.ts'

export interface QueuedRequest {
  outgoing: PreparedRequest
  /** As it stands in a batch; null where `/batch/v1` does not take it. */
  member: BatchMember | null
  /** What it is a request of, where traces are sent. */
  span: Span | undefined
  tries: number
  /** The largest batch that it goes in; 1 for none. One that failed in a batch goes on in a smaller one. */
  most: number
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

export type FailedRequest = [QueuedRequest, unknown]

/** Whether it may be made again after this failure: it changes nothing the second time, or nothing left the first time. */
export const isRepeatable = ({ outgoing: { request } }: QueuedRequest): boolean =>
  request.repeatable === true || isSafeMethod(request.method ?? 'GET')

export interface BatchMember {
  method: 'POST' | 'DELETE'
  path: string
  body: object | undefined
  /** Of its JSON, without the parameter that keeps it apart. */
  bytes: number
  /** The route of its kind, as `/wp/v2/posts`. */
  base: string
  /** Of the post or term that it is about; null where it makes one. */
  id: number | null
  /** What no other of the same batch may be about: the post, and the slug that it asks for. */
  subjects: string[]
  /** Where it goes, and as whom: whoever goes together signs in together. */
  as: string
}

/** Core's controllers of posts and terms take batches (`allow_batch`), each in its collection and by id. */
const ROUTE = /^(\/wp\/v2\/[a-z0-9_-]+)(?:\/(\d+))?$/i

/** The request as a member of a batch; null where WordPress takes none: reads, files, other routes. */
export function toBatchMember({
  request,
  site,
}: Pick<PreparedRequest, 'request' | 'site'>): BatchMember | null {
  const { method, path, query, data, form, subject, timeoutMs, maxBytes } = request
  if (method !== 'POST' && method !== 'DELETE') return null
  if (form !== undefined || timeoutMs !== undefined || maxBytes !== undefined) return null
  if (subject !== 'post' && subject !== 'term') return null
  if (data !== undefined && !isWireObject(data)) return null
  const [, base, number] = ROUTE.exec(path) ?? []
  if (base === undefined) return null
  const member = { method, path: routeUrl('/', path, query), body: data }
  return {
    ...member,
    bytes: Buffer.byteLength(JSON.stringify(member)),
    base,
    id: number === undefined ? null : Number(number),
    subjects: [
      ...(number === undefined ? [] : [path]),
      ...(isWireObject(data) && (data.slug ?? '') !== '' ? [`slug ${String(data.slug)}`] : []),
    ],
    as: JSON.stringify([site.restRoot, site.username, site.applicationPassword]),
  }
}

/** Several requests as one. Each is kept apart from what a plugin caches by address, as the batch itself is. */
export const buildBatchRequest = (members: BatchMember[]): WordPressRequest => ({
  method: 'POST',
  path: '/batch/v1',
  data: { requests: members.map(({ method, path, body }) => ({ method, path: addCacheBuster(path), body })) },
  doing: 'sending several requests at once',
  subject: 'post',
  maxBytes: MAX_BATCH_BYTES,
})
