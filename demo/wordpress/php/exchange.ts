import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { PHPRequest, PHPRequestHandler } from '@php-wasm/universal'

/** Lets PHP answer one HTTP request. */
export async function answerWithPhp(
  handler: PHPRequestHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { httpStatusCode, headers, bytes } = await handler.request({
    url: request.url ?? '/',
    method: request.method as PHPRequest['method'],
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    ),
    body: new Uint8Array(await buffer(request)),
  })
  response.writeHead(httpStatusCode, headers).end(bytes)
}
