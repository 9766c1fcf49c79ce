import { z } from 'zod'
import { boundedArray, firstEntries } from '../provider-request.ts'
import type { WrittenText } from '../types.ts'

/** Pieces of one text. */
const MAX_PARTS = 1_000

/** Pieces of a stream: one for each word of a long answer, thoughts included. */
const MAX_STREAM_CHUNKS = 50_000

const part = z.object({ text: z.string().nullish(), refusal: z.string().nullish().catch(null) })
const content = z
  .union([z.string().transform((text) => [{ text, refusal: null }]), boundedArray(MAX_PARTS, part)])
  .nullish()
  .transform((parts) => ({
    text: (parts ?? []).map(({ text }) => text ?? '').join(''),
    refused: (parts ?? []).map(({ refusal }) => refusal ?? '').join(''),
  }))
const finish = z.string().nullish().catch(null)
const message = z.object({ content, refusal: z.string().nullish().catch(null) })
const usage = z
  .object({ prompt_tokens: z.unknown(), completion_tokens: z.unknown(), cost: z.unknown() })
  .partial()
  .nullish()
  .catch(null)
const completionSchema = z.object({
  choices: firstEntries(1, z.object({ message, finish_reason: finish })),
  usage,
})
const chunkSchema = z.object({
  choices: firstEntries(1, z.object({ delta: message.partial().nullish(), finish_reason: finish })).default(
    [],
  ),
  error: z.unknown().optional(),
  usage,
})

/** An answer of `/chat/completions`: what was written, and what it says that this took. */
interface Completion extends WrittenText {
  used: { input_tokens: unknown; output_tokens: unknown }
  /** What it says that this cost, as OpenRouter does. */
  charged: unknown
}

/**
 * Reads an answer, whole or in the pieces of a stream, which some send unasked.
 *
 * @returns why it cannot be read, as part of a sentence, where it cannot
 */
export function parseCompletion(body: string): Completion | string {
  const text = body.replace(/^\ufeff/, '')
  return isStream(text) ? readStream(text) : readWhole(text)
}

/** Where an answer may tell of a failure: in all of it, or in a piece of a stream. */
export const errorBodyOf = (body: string): string =>
  (isStream(body) ? streamChunks(body).findLast((piece) => piece.includes('"error"')) : undefined) ?? body

/** Whether it came in pieces, as server-sent events. */
const isStream = (body: string): boolean => /^\s*(data:|event:|id:|retry:|:)/.test(body)

/** The pieces of a stream, without those of nothing, whichever of the three ways ends its lines. */
const streamChunks = (stream: string): string[] =>
  stream
    .replace(/^\s+/, '')
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trim())
    .filter((piece) => piece !== '')

function readWhole(body: string): Completion | string {
  const value = parsed(body)
  if (value === undefined) return 'it is not JSON, or only the beginning of it'
  const { data } = completionSchema.safeParse(value)
  const [choice] = data?.choices ?? []
  if (!data || !choice) return 'it has no text in it'
  const { message, finish_reason } = choice
  const { text, refused } = message.content
  return completed(text, message.refusal || refused, finish_reason, data.usage)
}

function readStream(body: string): Completion | string {
  let [text, refusal, reason]: [string, string, string | null | undefined] = ['', '', undefined]
  let used: z.output<typeof usage>
  const pieces = streamChunks(body)
  if (pieces.length > MAX_STREAM_CHUNKS) return 'it is a stream of too many pieces'
  for (const piece of pieces) {
    if (piece === '[DONE]') {
      reason ??= null
      break
    }
    const { data } = chunkSchema.safeParse(parsed(piece))
    if (!data) return 'a piece of the stream cannot be read'
    if (data.error !== undefined && data.error !== null) return STREAM_FAILED
    const [choice] = data.choices
    text += choice?.delta?.content?.text ?? ''
    refusal += choice?.delta?.refusal || (choice?.delta?.content?.refused ?? '')
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
): Completion | string {
  if (/^error$/i.test(reason ?? '')) return STREAM_FAILED
  return {
    text: stripReasoning(text) || refusal,
    finish: refusal !== '' || isRefused(reason) ? 'refused' : isTruncated(reason) ? 'length' : 'stop',
    used: { input_tokens: used?.prompt_tokens, output_tokens: used?.completion_tokens },
    charged: used?.cost,
  }
}

/** OpenRouter says so of a model that failed amid its text. */
const STREAM_FAILED = 'the model failed before the text ended'

const isRefused = (reason: string | null | undefined): boolean =>
  /^(content_filter|safety|refusal|prohibited_content|sensitive)$/i.test(reason ?? '')
const isTruncated = (reason: string | null | undefined): boolean =>
  /^(length|max_tokens|model_length)$/i.test(reason ?? '')

/** Some models think aloud before they write; the template of some begins that for them. */
function stripReasoning(text: string): string {
  const start = text.trimStart()
  const end = start.startsWith('<think>') ? start.indexOf('</think>') : reasoningEnd(start)
  if (end !== -1) return start.slice(end + '</think>'.length).trimStart()
  return start.startsWith('<think>') ? '' : text
}

/** Where the line ends with it: in a value of JSON no line does. */
const reasoningEnd = (text: string): number => text.search(/<\/think>\r?\n/)
