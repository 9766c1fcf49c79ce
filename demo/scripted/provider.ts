import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { closeServer, listenOnLoopback } from '../loopback.ts'
import { scriptedAnswer } from './answers.ts'

export const MODEL = 'scripted answers, not a model'

export interface ScriptedProvider {
  /** Its base address, as a setting takes it. */
  url: string
  stop(): Promise<void>
}

interface Completion {
  messages: { content: string }[]
  response_format?: { json_schema?: { name?: string } }
}

/** Answers on loopback as a language model's service would, out of a script. It says so in every answer. */
export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => {
      response.writeHead(500, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: `The script has no answer: ${error.message}` } }))
    })
  })
  const port = await listenOnLoopback(server)
  return { url: `http://127.0.0.1:${port}/v1`, stop: () => closeServer(server) }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { messages, response_format } = (await json(request)) as Completion
  // The question that was put first: what follows is what was wrong with an answer to it.
  const question = messages.find(({ content }) => content.startsWith('{'))?.content ?? '{}'
  const content = JSON.stringify(scriptedAnswer(response_format?.json_schema?.name ?? 'queries', question))
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify({
      id: 'scripted',
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1000),
      model: MODEL,
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    }),
  )
}
