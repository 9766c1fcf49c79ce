import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Config } from '../../../src/config/config.ts'
import { readProviderSettings } from '../../../src/generation/providers/settings/read.ts'
import { png } from '../../support/files.ts'
import { simulatedWriter } from '../../support/generation/writer.ts'

/** A second of silence. */
const SILENCE = Buffer.alloc(48_000)

/** What nobody makes: a prompt with this word is declined. */
export const FORBIDDEN = 'forbidden'

interface Received {
  body: Record<string, unknown>
  headers: Record<string, string | string[] | undefined>
}

/** Somebody on loopback who answers as an endpoint for texts, pictures and speech does, and takes webhooks at `/hook`. */
export interface Loopback {
  providers: Config['providers']
  hook: string
  received: Received[]
  stop(): Promise<void>
}

export async function startLoopback(): Promise<Loopback> {
  const writer = simulatedWriter({ seed: 7 })
  const received: Received[] = []
  const routes: Record<string, (response: ServerResponse, body: string) => Promise<void> | void> = {
    async '/v1/chat/completions'(response, body) {
      const { messages, response_format } = JSON.parse(body)
      const [system, ...rest] = messages
      if (body.includes(FORBIDDEN)) return completion(response, '', 'content_filter')
      const { name } = response_format.json_schema
      const answer = await writer.write(
        { system: system.content, messages: rest, schema: { name, json: {} } },
        { idempotencyKey: 'x', signal: new AbortController().signal },
      )
      completion(response, JSON.parse(String(answer.body)).text, 'stop')
    },
    '/v1/images/generations'(response, body) {
      if (body.includes(FORBIDDEN)) return declined(response)
      const [width, height] = JSON.parse(body).size.split('x').map(Number)
      json(response, { data: [{ b64_json: png(width, height, [10, 120, 200]).toString('base64') }] })
    },
    '/v1/audio/speech'(response, body) {
      if (body.includes(FORBIDDEN)) return declined(response)
      response.writeHead(200, { 'content-type': 'audio/pcm' }).end(SILENCE)
    },
  }
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString()
    if (request.url === '/hook') {
      received.push({ body: JSON.parse(body), headers: request.headers })
      response.writeHead(204).end()
      return
    }
    const route = routes[request.url ?? '']
    if (route === undefined) response.writeHead(404).end()
    else await route(response, body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { settings, mistakes } = readProviderSettings(
    { GALLEY_AI_URL: `${url}/v1`, GALLEY_AI_MODEL: 'simulated' },
    {},
  )
  if (mistakes.length > 0) throw new Error(JSON.stringify(mistakes))
  const { text } = settings.steps
  return {
    providers: { ...settings, steps: { ...settings.steps, image: text, audio: text } },
    hook: `${url}/hook`,
    received,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const json = (response: ServerResponse, body: object) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** As an endpoint for pictures or speech says that it makes no such thing. */
const declined = (response: ServerResponse) =>
  void response
    .writeHead(400, { 'content-type': 'application/json' })
    .end('{"error": {"code": "content_policy_violation", "message": "It is against our policy."}}')

const completion = (response: ServerResponse, content: string, finish_reason: string) =>
  json(response, {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'simulated',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  })
