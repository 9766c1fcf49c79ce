import type { IncomingMessage, ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import type { ByteBudget } from '../../../src/bytes/budget.ts'
import { GenerationError } from '../../../src/generation/failure.ts'
import { createProviders } from '../../../src/generation/providers/registry.ts'
import { readProviderSettings } from '../../../src/generation/providers/settings/read.ts'
import type { ModelSettings, ProviderKind } from '../../../src/generation/providers/settings/schema.ts'
import type { CallContext, Providers, TextRequest } from '../../../src/generation/providers/types.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { serve } from '../../outbound/server.ts'

/** The key that every provider of a test has: nobody but the provider may ever see it. */
export const KEY = 'hunter2-Key_of.the+provider'

export const context = (signal = new AbortController().signal): CallContext => ({
  idempotencyKey: '0199-call',
  signal,
})

interface Wanted {
  model?: string
  kind?: ProviderKind
  key?: string
  options?: ModelSettings
  timeoutMs?: number
  budget?: ByteBudget
}

/** Providers that ask this address for everything; nothing private is allowed but what the settings name. */
function providersAt(
  url: string | URL,
  { model = 'some-model', kind = 'openai', key = KEY, options = {}, timeoutMs, budget }: Wanted = {},
): Providers {
  const { settings, mistakes } = readProviderSettings(
    { GALLEY_AI_URL: `${url}`, GALLEY_AI_KEY: key, GALLEY_AI_MODEL: model },
    {},
  )
  if (mistakes.length > 0) throw new Error(JSON.stringify(mistakes))
  const outbound = createOutbound({ allowPrivate: [], userAgent: 'Galley/0.0.0', ...(budget && { budget }) })
  onTestFinished(() => outbound.close())
  const providers = settings.providers.map((one) => ({
    ...one,
    kind,
    timeoutMs,
    models: { [model]: options },
  }))
  const { text } = settings.steps
  return createProviders({ providers, steps: { ...settings.steps, image: text, audio: text } }, outbound)
}

/** The first of a list, which has one. */
function only<One>([first, ...more]: readonly One[]): One {
  if (first === undefined || more.length > 0) throw new Error(`one was expected, not ${more.length + 1}`)
  return first
}

export const writer = (url: string | URL, wanted?: Wanted) => only(providersAt(url, wanted).text('standard'))
export const painter = (url: string | URL, wanted?: Wanted) =>
  only(providersAt(url, wanted).pictures('standard'))
export const speaker = (url: string | URL, wanted?: Wanted) =>
  only(providersAt(url, wanted).speech('standard'))

/** An answer of `/chat/completions`. */
export const completion = (message: unknown, finish_reason = 'stop', usage?: unknown) => ({
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'some-model',
  choices: [{ index: 0, message, finish_reason }],
  usage,
})

export const question: TextRequest = {
  system: 'You write.',
  messages: [{ role: 'user', content: 'Write about rivers.' }],
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
