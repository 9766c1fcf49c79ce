import { createHash } from 'node:crypto'
import { withoutEdges } from '../../text.ts'

interface Naming {
  /** What the picture shows, its alternative text or the document's title: becomes the readable part. */
  subject: string
  /** Where it came from: the same source has the same name in every attempt. */
  url: string
  /** Without a dot. */
  extension: string
}

const READABLE_LENGTH = 60
/** Enough to find so many letters in. */
const LOOKED_AT = 1_000

/**
 * `a-harbour-at-dawn-3f9c2a.png`: what it shows, then six characters of its address's hash, so that a retry
 * chooses the same name and two pictures of one subject do not share it.
 */
export function fileNameFor({ subject, url, extension }: Naming): string {
  const hash = createHash('sha256').update(url).digest('hex').slice(0, 6)
  const readable = subject
    .slice(0, LOOKED_AT)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, READABLE_LENGTH)
  return `${withoutEdges(readable, '-') || 'picture'}-${hash}.${extension}`
}
