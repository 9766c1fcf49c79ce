import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pinoHttp } from 'pino-http'
import { type Logger, withoutToken } from '../log.ts'

/** Asked for every few seconds by machines; a line each would bury the rest. */
const quietPaths = new Set(['/healthz', '/readyz', '/metrics'])

/**
 * One line a request: method, address without its webhook token, status and time. Headers and bodies stay out.
 * Every answer carries `X-Request-Id`: the caller's own where it is a plain word, else a new one.
 */
export function requestLog(log: Logger) {
  return pinoHttp({
    logger: log,
    genReqId: requestId,
    autoLogging: { ignore: ({ url }) => quietPaths.has(url ?? '') },
    customLogLevel: (_request, response) => (response.statusCode >= 500 ? 'error' : 'info'),
    customProps: () => ({ subsystem: 'http' }),
    serializers: {
      req: ({ id, method, url, remoteAddress }) => ({ id, method, url: withoutToken(url), remoteAddress }),
      res: ({ statusCode }) => ({ statusCode }),
    },
  })
}

function requestId(request: IncomingMessage, response: ServerResponse): string {
  const given = request.headers['x-request-id']
  const id = typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID()
  response.setHeader('X-Request-Id', id)
  return id
}
