// Answers on loopback as the service of a language model would, from a script.
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { closeServer, listenOnLoopback } from './processes.ts'

export const MODEL = 'scripted answers, not a model'

export interface ScriptedProvider {
  /** Base address, for GALLEY_AI_URL. */
  url: string
  stop(): Promise<void>
}

interface Completion {
  messages: { content: string }[]
  response_format?: { json_schema?: { name?: string } }
}

/** Starts it. Every answer names {@link MODEL} as its model. */
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
  // the first question; later ones say what was wrong with an answer to it
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

interface Script {
  queries: object
  outline: object
  sections: { heading: string; holds: string; picture: object; block: object; sentences: string[] }[]
  opening: string[]
  closing: string[]
  more: string[]
}

const script: Script = JSON.parse(readFileSync(new URL('scripted-model.json', import.meta.url), 'utf8'))

/** What the script reads of a question. */
interface Question {
  sections?: number
  length?: number
  part?: { heading?: string }
  outline?: string[]
  text?: string
  task?: string
  paragraphs?: { text: string; keywords: string[] }[]
}

/**
 * The scripted answer to a question: always about the same subject, whatever the prompt is, at about the length that the
 * question wants.
 *
 * @param schema name of the schema that the answer should have
 * @param text the question in JSON; anything else where `schema` is `queries`
 */
function scriptedAnswer(schema: string, text: string): object {
  if (schema === 'queries') return script.queries
  const question: Question = JSON.parse(text)
  if (schema === 'outline') return outline(question)
  if (schema === 'paragraphs')
    return {
      paragraphs: question.paragraphs?.map(({ text, keywords }) => `${text} (${keywords.join(', ')})`),
    }
  return section(question)
}

const outline = ({ sections = 1 }: Question) => ({
  ...script.outline,
  sections: Array.from({ length: sections }, (_, index) => {
    const { heading, holds, picture } = scriptedSection(index)
    const round = Math.floor(index / script.sections.length)
    return {
      heading: round === 0 ? heading : `${heading} (${round + 1})`,
      points: [],
      sources: [],
      holds,
      picture,
    }
  }),
})

function scriptedSection(index: number) {
  const found = script.sections[index % script.sections.length]
  if (found === undefined) throw new Error('the script has no sections')
  return found
}

function section({ length = 100, part, outline: parts = [], text, task }: Question): object {
  if (text !== undefined) return { blocks: [paragraph(text.split(/(?<=[.?!])\s+/), length)] }
  if (task?.startsWith('Go on')) return { blocks: [paragraph(script.more, length)] }
  const place = parts.indexOf(part?.heading || 'opening')
  const scripted = script.sections.find(({ heading }) => part?.heading?.startsWith(heading))
  if (scripted === undefined)
    return { blocks: [paragraph(place <= 0 ? script.opening : script.closing, length)] }
  const left = length - JSON.stringify(scripted.block).split(/\s+/).length
  const half = Math.ceil(scripted.sentences.length / 2)
  return {
    blocks: [
      paragraph(scripted.sentences.slice(0, half), left / 2),
      scripted.block,
      paragraph(scripted.sentences.slice(half), left / 2),
    ],
  }
}

/** The first sentences that come closest to `words` in length; at least one. */
function paragraph(sentences: readonly string[], words: number): object {
  const taken: string[] = []
  let count = 0
  for (const sentence of sentences) {
    const own = sentence.split(' ').length
    if (taken.length > 0 && count + own / 2 > words) break
    taken.push(sentence)
    count += own
  }
  return { type: 'paragraph', text: taken.join(' ') }
}
