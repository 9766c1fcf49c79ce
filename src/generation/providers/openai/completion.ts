import { z } from 'zod'
import { few, first } from '../few.ts'
import type { WrittenText } from '../types.ts'

/** Pieces of one text. */
const MOST_PARTS = 1_000

/** Lines of a stream: two for each word of a long answer, thoughts included. */
const MOST_LINES = 100_000

const part = z.object({ type: z.string().optional(), text: z.string().optional() })
const content = z
  .union([
    z.string(),
    few(MOST_PARTS, part).transform((parts) => parts.map(({ text = '' }) => text).join('')),
  ])
  .nullish()
const finish = z.string().nullish().catch(null)
const message = z.object({ content, refusal: z.string().nullish().catch(null) })
const usage = z
  .object({ prompt_tokens: z.unknown(), completion_tokens: z.unknown(), cost: z.unknown() })
  .partial()
  .nullish()
  .catch(null)
const completionSchema = z.object({
  choices: first(1, z.object({ message, finish_reason: finish })),
  usage,
})
const chunkSchema = z.object({
  choices: first(1, z.object({ delta: message.partial().nullish(), finish_reason: finish })).default([]),
  usage,
})

/** An answer of `/chat/completions`: what was written, and what it says that this took. */
export interface Completion extends WrittenText {
  used: { input_tokens: unknown; output_tokens: unknown }
  /** What it says that this cost, as OpenRouter does. */
  charged: unknown
}

/**
 * Reads an answer, whole or in the pieces of a stream, which some send unasked.
 *
 * @returns why it cannot be read, as part of a sentence, where it cannot
 */
export function readCompletion(body: string): Completion | string {
  return /^\s*(data:|event:|:)/.test(body) ? readStream(body) : readWhole(body)
}

function readWhole(body: string): Completion | string {
  const value = parsed(body)
  if (value === undefined) return 'it is not JSON, or only the beginning of it'
  const { data } = completionSchema.safeParse(value)
  const [choice] = data?.choices ?? []
  if (!data || !choice) return 'it has no text in it'
  const { message, finish_reason } = choice
  return completed(message.content ?? '', message.refusal ?? '', finish_reason, data.usage)
}

function readStream(body: string): Completion | string {
  let [text, refusal, reason]: [string, string, string | null | undefined] = ['', '', undefined]
  let used: z.output<typeof usage>
  const lines = body.split(/\r\n|\r|\n/, MOST_LINES)
  if (lines.length === MOST_LINES) return 'it is a stream of too many pieces'
  for (const line of lines) {
    if (!line.startsWith('data:')) continue
    const piece = line.slice('data:'.length).trim()
    if (piece === '[DONE]') break
    const { data } = chunkSchema.safeParse(parsed(piece))
    if (!data) return 'a piece of the stream cannot be read'
    const [choice] = data.choices
    text += choice?.delta?.content ?? ''
    refusal += choice?.delta?.refusal ?? ''
    reason = choice?.finish_reason ?? reason
    used = data.usage ?? used
  }
  if (reason === undefined) return 'the stream ended before the text did'
  return completed(text, refusal, reason, used)
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function completed(
  text: string,
  refusal: string,
  reason: string | null | undefined,
  used: z.output<typeof usage>,
): Completion {
  return {
    text: withoutThoughts(text) || refusal,
    finish: refusal !== '' || isRefused(reason) ? 'refused' : isCut(reason) ? 'length' : 'stop',
    used: { input_tokens: used?.prompt_tokens, output_tokens: used?.completion_tokens },
    charged: used?.cost,
  }
}

const isRefused = (reason: string | null | undefined): boolean =>
  /^(content_filter|safety|refusal|prohibited_content|sensitive)$/i.test(reason ?? '')
const isCut = (reason: string | null | undefined): boolean =>
  /^(length|max_tokens|model_length)$/i.test(reason ?? '')

/** Some models think aloud before they write. */
function withoutThoughts(text: string): string {
  const start = text.trimStart()
  if (!start.startsWith('<think>')) return text
  const end = start.indexOf('</think>')
  return end === -1 ? '' : start.slice(end + '</think>'.length).trimStart()
}
