import { type Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Reply } from './types.ts'

interface Forwarded {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Headers that belong to one connection and are made anew for the next. */
const PER_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host'])

/** Carries a request out at the target and reads the whole answer. */
export function forward(
  target: URL,
  agent: Agent,
  { method, url, headers, body }: Forwarded,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: target.hostname,
        port: target.port,
        path: url,
        method,
        agent,
        headers: {
          ...without(headers),
          host: target.host,
          ...(body.length > 0 ? { 'content-length': body.length } : {}),
        },
      },
      (response) => {
        buffer(response).then(
          (answer) =>
            resolve({ status: response.statusCode ?? 0, headers: without(response.headers), body: answer }),
          reject,
        )
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

function without(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !PER_CONNECTION.has(name)) kept[name] = value
  }
  return kept
}
