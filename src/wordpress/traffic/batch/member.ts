import { type Outgoing, routeUrl } from '../../client/index.ts'

/** A request as it stands in a batch. */
export interface Member {
  method: 'POST' | 'DELETE'
  /** With its query. */
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

/**
 * The request as a member of a batch, or null where WordPress takes it by itself alone: reads, files, and whatever is not
 * about posts or terms.
 */
export function asMember({ request, site }: Pick<Outgoing, 'request' | 'site'>): Member | null {
  const { method, path, query, data, form, subject, timeoutMs, maxBytes } = request
  if (method !== 'POST' && method !== 'DELETE') return null
  if (form !== undefined || timeoutMs !== undefined || maxBytes !== undefined) return null
  if (subject !== 'post' && subject !== 'term') return null
  if (data !== undefined && !isObject(data)) return null
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
      ...(isObject(data) && 'slug' in data && data.slug !== '' ? [`slug ${String(data.slug)}`] : []),
    ],
    as: JSON.stringify([site.restRoot, site.username, site.applicationPassword]),
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
