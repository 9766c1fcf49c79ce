import type { Request, RequestHandler, Router } from 'express'
import { GalleyError, refusal, tryLater } from '../../errors.ts'
import type { ByteRange, ServedFile } from '../../generation/storage/storage.ts'
import { folderRouter } from '../routing.ts'
import type { Services } from '../services.ts'
import { sendStream } from '../streaming.ts'

/** Seconds that caches keep a file which never goes. */
const YEAR_S = 31_536_000

/** What a browser shows or plays, and cannot run; anything else is saved. */
const INLINE_TYPES = /^(image\/(png|jpeg|webp|gif|avif)|audio\/[\w.+-]+)$/

/** The files that Galley made. No key opens them but their address, so that a page can show them. */
export const filesRouter = ({ storage }: Pick<Services, 'storage'>, stallMs?: number): Router =>
  folderRouter('files', serveFile(storage, stallMs))

const serveFile =
  (storage: Services['storage'], stallMs?: number): RequestHandler<{ name: string }> =>
  async (request, response) => {
    const file = await storage.served(request.params.name)
    if (file === undefined) throw fileNotFound()
    response.set(cacheHeaders(file))
    if (isNotModified(request as Request, file)) return void response.status(304).end()
    const range = requestedRange(request as Request, file)
    if (range === 'none') {
      response.set({ 'Content-Range': `bytes */${file.bytes}`, 'Cache-Control': 'no-store' })
      throw refusal(
        'RANGE_NOT_SATISFIABLE',
        `The file has ${file.bytes} bytes, and none of those that the header Range asks for.`,
        416,
      )
    }
    response.set({ 'Content-Type': file.type, 'Content-Disposition': dispositionOf(file) })
    response.set('Content-Length', String(range ? range.end - range.start + 1 : file.bytes))
    if (range) response.status(206).set('Content-Range', `bytes ${range.start}-${range.end}/${file.bytes}`)
    if (request.method === 'HEAD') return void response.end()
    const body = await file.open(range).catch((cause) => {
      response.removeHeader('Content-Length')
      response.removeHeader('Content-Disposition')
      response.removeHeader('ETag')
      response.set('Cache-Control', 'no-store')
      throw fileUnreadable(cause)
    })
    await sendStream(response, body, stallMs)
  }

/** What every answer says of a file, also one that has not changed. Its bytes never do. */
const cacheHeaders = ({ sha256, createdAt, expiresInMs }: ServedFile) => ({
  ETag: `"${sha256}"`,
  'Last-Modified': createdAt.toUTCString(),
  'Cache-Control': `public, max-age=${maxAgeSeconds(expiresInMs)}, immutable`,
  'Accept-Ranges': 'bytes',
  ...SANDBOX_HEADERS,
})

const maxAgeSeconds = (ms: number | null): number =>
  ms === null ? YEAR_S : Math.min(YEAR_S, Math.max(0, Math.floor(ms / 1000)))

/** The name a file is saved under: of letters and digits alone, whatever its address says. */
const dispositionOf = ({ name, type }: ServedFile): string => {
  const [token = '', extension = ''] = name.split('.')
  return `${INLINE_TYPES.test(type) ? 'inline' : 'attachment'}; filename="galley-${token.slice(0, 8)}.${extension}"`
}

const fileNotFound = (cause?: unknown): GalleyError =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: 'There is no file at this address; it may have been kept for as long as files are kept.',
    cause,
  })

/** One that is gone is not there; a store that does not answer may answer later. */
const fileUnreadable = (cause: unknown): GalleyError =>
  cause instanceof GalleyError && cause.action === 'permanent'
    ? fileNotFound(cause)
    : tryLater(
        'STORAGE_FAILED',
        'The file cannot be read just now: its store does not answer. Try again in a moment.',
        { retryAfterMs: 5_000, cause },
      )

/** Files never change: `Cache-Control: no-cache`, which Node's fetch adds, makes no difference. */
function isNotModified(request: Request, { sha256, createdAt }: ServedFile): boolean {
  const tags = request.get('if-none-match')
  if (tags !== undefined)
    return tags.split(',').some((tag) => ['*', `"${sha256}"`, `W/"${sha256}"`].includes(tag.trim()))
  const since = request.get('if-modified-since')
  return since !== undefined && Date.parse(since) >= truncateToSeconds(createdAt)
}

/** The part that a request asks for; `none` where the file has nothing of it. Several ranges, or an unclear one, ask for all (RFC 9110). */
function requestedRange(request: Request, file: ServedFile): ByteRange | 'none' | undefined {
  const { bytes } = file
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(request.get('range') ?? '') ?? []
  if (request.method !== 'GET' || first === undefined || last === undefined) return undefined
  if (first === '' && last === '') return undefined
  if (!ifRangeMatches(request.get('if-range'), file)) return undefined
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  // One that ends before it begins is no range at all; one that begins behind the end has nothing.
  if (last !== '' && first !== '' && Number(last) < start) return undefined
  return start > end ? 'none' : { start, end }
}

/** `If-Range`: the part is wanted only of the very file that the client has begun to take. */
function ifRangeMatches(condition: string | undefined, { sha256, createdAt }: ServedFile): boolean {
  if (condition === undefined) return true
  // A weak one never fits: it does not promise the same bytes.
  if (condition.startsWith('"') || condition.startsWith('W/')) return condition === `"${sha256}"`
  return Date.parse(condition) === truncateToSeconds(createdAt)
}

const truncateToSeconds = (time: Date): number => Math.floor(time.getTime() / 1000) * 1000

/** For somebody else's bytes: shown by other pages, but harmless and of no other type by itself. */
export const SANDBOX_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Content-Security-Policy': "default-src 'none'; sandbox",
} as const
