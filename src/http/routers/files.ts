import { pipeline } from 'node:stream/promises'
import type { Request, RequestHandler, Response, Router } from 'express'
import { hasCode } from '../../errno.ts'
import { GalleyError } from '../../errors.ts'
import type { ServedFile } from '../../generation/storage/types.ts'
import { otherMethods } from '../errors.ts'
import { isUnchanged, wantedRange } from '../file-range.ts'
import { named } from '../metrics.ts'
import { strictRouter } from '../routing.ts'
import { SANDBOXED } from '../sandboxed.ts'
import type { Services } from '../services.ts'

/** Milliseconds in which whoever takes a file must have taken some of it. */
const STALLED_MS = 60_000

/** Seconds that caches keep a file which never goes. */
const YEAR_S = 31_536_000

/** What a browser shows or plays, and cannot run; anything else is saved. */
const SHOWN = /^(image\/(png|jpeg|webp|gif|avif)|audio\/[\w.+-]+)$/

/** The files that Galley made. No key opens them but their address, so that a page can show them. */
export function filesRouter({ storage }: Pick<Services, 'storage'>, stalledMs = STALLED_MS): Router {
  const router = strictRouter()
  router
    .route('/files/:name')
    .all(named('/files/{name}'))
    .get(serve(storage, stalledMs))
    .all(otherMethods(['GET', 'HEAD']))
  return router
}

const serve =
  (storage: Services['storage'], stalledMs: number): RequestHandler<{ name: string }> =>
  async (request, response) => {
    const file = await storage.served(request.params.name)
    if (file === undefined) throw notFound()
    response.set(headersOf(file))
    if (isUnchanged(request as Request, file)) return void response.status(304).end()
    const range = wantedRange(request as Request, file)
    if (range === 'none') {
      response.set({ 'Content-Range': `bytes */${file.bytes}`, 'Cache-Control': 'no-store' })
      throw outOfRange(file.bytes)
    }
    response.set({ 'Content-Type': file.type, 'Content-Disposition': dispositionOf(file) })
    response.set('Content-Length', String(range ? range.end - range.start + 1 : file.bytes))
    if (range) response.status(206).set('Content-Range', `bytes ${range.start}-${range.end}/${file.bytes}`)
    if (request.method === 'HEAD') return void response.end()
    await send(response, file, range, stalledMs)
  }

/** Nothing is read that the other side does not take. */
async function send(
  response: Response,
  file: ServedFile,
  range: { start: number; end: number } | undefined,
  stalledMs: number,
): Promise<void> {
  const body = await file.open(range).catch((cause) => {
    response.removeHeader('Content-Length')
    response.removeHeader('Content-Disposition')
    response.removeHeader('ETag')
    response.set('Cache-Control', 'no-store')
    throw cannotBeRead(cause)
  })
  response.setTimeout(stalledMs, () => response.destroy())
  await pipeline(body, response).catch((error) => {
    // Whoever asked went away, which is their right.
    if (!hasCode(error, 'ERR_STREAM_PREMATURE_CLOSE')) throw error
  })
}

/** What every answer says of a file, also one that has not changed. Its bytes never do. */
const headersOf = ({ sha256, createdAt, goesInMs }: ServedFile) => ({
  ETag: `"${sha256}"`,
  'Last-Modified': createdAt.toUTCString(),
  'Cache-Control': `public, max-age=${secondsOf(goesInMs)}, immutable`,
  'Accept-Ranges': 'bytes',
  ...SANDBOXED,
})

const secondsOf = (ms: number | null): number =>
  ms === null ? YEAR_S : Math.min(YEAR_S, Math.max(0, Math.floor(ms / 1000)))

/** The name a file is saved under: of letters and digits alone, whatever its address says. */
const dispositionOf = ({ name, type }: ServedFile): string => {
  const [token = '', extension = ''] = name.split('.')
  return `${SHOWN.test(type) ? 'inline' : 'attachment'}; filename="galley-${token.slice(0, 8)}.${extension}"`
}

const notFound = (cause?: unknown): GalleyError =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: 'There is no file at this address; it may have been kept for as long as files are kept.',
    cause,
  })

const outOfRange = (bytes: number): GalleyError =>
  new GalleyError({
    code: 'RANGE_NOT_SATISFIABLE',
    httpStatus: 416,
    message: `The file has ${bytes} bytes, and none of those that the header Range asks for.`,
  })

/** One that is gone is not there; a store that does not answer may answer later. */
const cannotBeRead = (cause: unknown): GalleyError =>
  cause instanceof GalleyError && cause.action === 'permanent'
    ? notFound(cause)
    : new GalleyError({
        code: 'STORAGE_FAILED',
        httpStatus: 503,
        action: 'retry',
        retryAfterMs: 5_000,
        message: 'The file cannot be read just now: its store does not answer. Try again in a moment.',
        cause,
      })
