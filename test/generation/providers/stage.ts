import type { IncomingMessage, ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { GenerationError } from '../../../src/generation/failure.ts'
import { createProviders } from '../../../src/generation/providers/registry.ts'
import { readProviderSettings } from '../../../src/generation/providers/settings/read.ts'
import type { CallContext, Providers } from '../../../src/generation/providers/types.ts'
import { createOutbound } from '../../../src/outbound/index.ts'
import { serve } from '../../outbound/server.ts'

/** The key that every provider of a test has: nobody but the provider may ever see it. */
export const KEY = 'hunter2-Key_of.the+provider'

export const context = (signal = new AbortController().signal): CallContext => ({
  idempotencyKey: '0199-call',
  signal,
})

/** The providers of settings in which `GALLEY_AI_URL` is this address; nothing private is allowed but what they name. */
export function providersAt(url: string | URL, model = 'some-model'): Providers {
  const { settings, mistakes } = readProviderSettings(
    { GALLEY_AI_URL: `${url}`, GALLEY_AI_KEY: KEY, GALLEY_AI_MODEL: model },
    {},
  )
  if (mistakes.length > 0) throw new Error(JSON.stringify(mistakes))
  const outbound = createOutbound({ allowPrivate: [], userAgent: 'Galley/0.0.0' })
  onTestFinished(() => outbound.close())
  return createProviders(settings, outbound)
}

/** What a call failed with. */
export async function failure(call: Promise<unknown>): Promise<GenerationError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof GenerationError) return error
  throw new Error(`should have failed with a GenerationError, not ${error}`)
}

/** One request as a provider got it. */
export interface Asked {
  path: string
  headers: IncomingMessage['headers']
  body: Record<string, unknown>
}

/** A provider on loopback that answers each request as told, and all that it was asked. */
export async function provider(
  answer: (response: ServerResponse, asked: Asked) => unknown,
): Promise<{ url: URL; asked: Asked[] }> {
  const asked: Asked[] = []
  const url = await serve((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString()
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        body: text === '' ? {} : JSON.parse(text),
      }
      asked.push(one)
      answer(response, one)
    })
  })
  return { url, asked }
}

export const json = (response: ServerResponse, value: unknown, status = 200): ServerResponse =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
