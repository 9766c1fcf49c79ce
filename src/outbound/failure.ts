import { type Action, GalleyError } from '../errors.ts'
import { type TransportCode, type TransportFailure, transportFailures } from './catalogue.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

export const isSafe = (method: string): boolean => SAFE_METHODS.has(method)

export interface Attempt {
  url: URL
  method: string
  /** Whether bytes of the request may have reached the other side. */
  sent: boolean
}

/**
 * The error for an exchange that brought no answer. A write of which something may have left the socket may
 * have been carried out, so it is `ambiguous`, whatever the catalogue says of the code.
 *
 * @param advice what to do, where more is known than the code says
 */
export function transportFailure(
  code: TransportCode,
  seen: string,
  { url, method, sent }: Attempt,
  cause?: unknown,
  advice?: string,
): GalleyError {
  const {
    fault,
    action,
    happened: tell,
    todo: usual,
    httpStatus = 502,
  }: TransportFailure = transportFailures[code]
  const todo = advice ?? usual
  const decided: Action = sent && !isSafe(method) ? 'ambiguous' : action
  const happened = tell({ host: url.host, seen })
  return new GalleyError({
    code,
    message: `${happened} ${todo}`,
    fault,
    action: decided,
    httpStatus,
    details: { happened, todo, host: url.host, method, seen },
    cause,
  })
}
