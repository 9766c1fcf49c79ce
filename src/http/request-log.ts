import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pinoHttp } from 'pino-http'
import type { Logger } from '../log.ts'
import { withoutSecretMembers, withoutToken } from '../redact.ts'

/** Asked for every few seconds by machines; a line each would bury the rest. */
const quietPaths = new Set(['/healthz', '/readyz', '/metrics'])

/**
 * One line a request: method, address without its webhook token, status and time. Headers and bodies stay out.
 * Every answer carries `X-Request-Id`: the caller's own where it is a plain word, else a new one.
 */
export function requestLog(log: Logger) {
  return pinoHttp({
    logger: log.child({ subsystem: 'http' }),
    genReqId: requestId,
    autoLogging: { ignore: ({ url }) => quietPaths.has(url ?? '') },
    customLogLevel: (_request, response) => (response.statusCode >= 500 ? 'error' : 'info'),
    serializers: {
      err: withoutSecretMembers,
      req: ({ id, raw }) => pickRequest(id, raw),
      res: ({ statusCode }) => ({ statusCode }),
    },
  })
}

/** What a line says of a request; `shown` is its address without secrets, where that is known already. */
export const pickRequest = (
  id: string,
  { method, url = '', socket }: IncomingMessage,
  shown = withoutToken(url),
) => ({
  id,
  method,
  url: shown,
  remoteAddress: socket.remoteAddress,
})

/** Names a request, and says the name in its answer. */
export function requestId(request: IncomingMessage, response: ServerResponse): string {
  const given = request.headers['x-request-id']
  const id = typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID()
  response.setHeader('X-Request-Id', id)
  return id
}
