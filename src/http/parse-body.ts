import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import type { Lane } from '../bytes/index.ts'
import { findExcessUnparsed, isTooDeep } from '../contract/excess.ts'
import { LIMITS } from '../contract/limits.ts'
import { isOver, whenOver } from './over.ts'
import { failure, readBody } from './read-body.ts'
import { invalidRequest } from './validation.ts'

/** Makes of a body's bytes what the endpoint gets; `charset` as the head of the request names it. */
type Parse = (bytes: Buffer, charset: string) => unknown

/**
 * Reads a body whole and parses it. It keeps its room until the request is answered, and takes it as it arrives, as
 * webhooks do, whose room this is too: what a head merely announces, compressed or not, keeps nobody else out.
 */
export const parseBody =
  (lane: Lane, limit: number, parse: Parse): RequestHandler =>
  async (request, response, next) => {
    if (!hasBody(request)) return next()
    const { bytes, share } = await readBody(request, limit, lane)
    whenOver(response, () => share.release())
    // Its sender left while it was unpacked.
    if (isOver(response)) throw failure('request.aborted')
    request.body = parse(bytes, charsetOf(request.headers['content-type']))
    next()
  }

/** What is of no type has nothing in it: anything else without one was refused. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-type'] !== undefined &&
  (headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined)

const charsetOf = (contentType = ''): string =>
  /;\s*charset="?([\w-]{1,40})/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8'

/**
 * An object or an array; nothing counts as an empty object. What holds too many values is refused before it is parsed,
 * which makes thirty bytes of one; what is too deep before anything walks it.
 *
 * @throws LimitError; GalleyError 422 `INVALID_REQUEST`; Error with the `type` that body-parser gives it
 */
export const json: Parse = (bytes, charset) => {
  if (!charset.startsWith('utf-')) throw failure('charset.unsupported')
  if (bytes.length === 0) return {}
  // In UTF-16, half of another character looks like a quotation mark, behind which nothing would be counted.
  const excess = findExcessUnparsed(charset === 'utf-8' ? bytes : Buffer.from(text(bytes, charset)))
  if (excess) throw excess
  const value = parsed(text(bytes, charset))
  if (isTooDeep(value)) throw invalidRequest([{ path: 'body', message: TOO_DEEP }])
  return value
}

const TOO_DEEP = `is nested too deeply: at most ${LIMITS.jsonDepth} levels of objects and arrays`

function parsed(written: string): object {
  try {
    const value: unknown = JSON.parse(written)
    if (typeof value === 'object' && value !== null) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw failure('entity.parse.failed')
}

/** Text in any character set that browsers know: spreadsheets save theirs in many. */
export const text = (bytes: Buffer, charset: string): string => decoderOf(charset).decode(bytes)

function decoderOf(charset: string) {
  try {
    return new TextDecoder(charset)
  } catch {
    throw failure('charset.unsupported')
  }
}
