import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { PHPRequest, PHPRequestHandler } from '@php-wasm/universal'
import { Semaphore } from '@php-wasm/util'

/**
 * Lets PHP answer HTTP requests, one after another: the handler of a single PHP answers 500 to whatever comes while
 * a request sleeps, or while the PHP is replaced by a fresh one.
 */
export function phpListener(handler: PHPRequestHandler) {
  const turn = new Semaphore({ concurrency: 1 })
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = await phpRequest(request)
    const { httpStatusCode, headers, bytes } = await turn.run(() => handler.request(asked))
    response.writeHead(httpStatusCode, headers).end(bytes)
  }
}

async function phpRequest(request: IncomingMessage): Promise<PHPRequest> {
  return {
    url: request.url ?? '/',
    method: request.method as PHPRequest['method'],
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    ),
    body: new Uint8Array(await buffer(request)),
  }
}
