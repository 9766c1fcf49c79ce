import type { Request } from 'express'
import type { ByteRange, ServedFile } from '../generation/storage/types.ts'

/**
 * Whether the client has this file already. Files never change, so that it is asked for again makes no difference
 * (`Cache-Control: no-cache`, which Node's own fetch adds to every such request).
 */
export function isUnchanged(request: Request, { sha256, createdAt }: ServedFile): boolean {
  const tags = request.get('if-none-match')
  if (tags !== undefined)
    return tags.split(',').some((tag) => ['*', `"${sha256}"`, `W/"${sha256}"`].includes(tag.trim()))
  const since = request.get('if-modified-since')
  return since !== undefined && Date.parse(since) >= inSeconds(createdAt)
}

/**
 * The part of a file that a request asks for: undefined for all of it, `none` where the file has none of it. Several parts,
 * other units than bytes and what cannot be read count as a request for all of it, as RFC 9110 (14.2) lets a server do.
 */
export function wantedRange(request: Request, file: ServedFile): ByteRange | 'none' | undefined {
  const { bytes } = file
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(request.get('range') ?? '') ?? []
  if (request.method !== 'GET' || first === undefined || last === undefined) return undefined
  if (first === '' && last === '') return undefined
  if (!fits(request.get('if-range'), file)) return undefined
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  // One that ends before it begins is no range at all; one that begins behind the end has nothing.
  if (last !== '' && first !== '' && Number(last) < start) return undefined
  return start > end ? 'none' : { start, end }
}

/** `If-Range`: the part is wanted only of the very file that the client has begun to take. */
function fits(condition: string | undefined, { sha256, createdAt }: ServedFile): boolean {
  if (condition === undefined) return true
  // A weak one never fits: it does not promise the same bytes.
  if (condition.startsWith('"') || condition.startsWith('W/')) return condition === `"${sha256}"`
  return Date.parse(condition) === inSeconds(createdAt)
}

/** As a header says it: without milliseconds. */
const inSeconds = (time: Date): number => Math.floor(time.getTime() / 1000) * 1000
