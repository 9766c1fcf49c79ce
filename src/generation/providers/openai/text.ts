import { z } from 'zod'
import { parseJson } from '../../../lib/text.ts'
import { GenerationError } from '../../failure.ts'
import { type ProviderAccess, providerIdentity, redactProviderSecrets } from '../access.ts'
import { structuredWords } from '../provider-errors.ts'
import {
  boundedArray,
  failureOfAnswer,
  firstEntries,
  normaliseUsage,
  requestProvider,
  toRawAnswer,
  unreadableAnswer,
} from '../provider-request.ts'
import { stripReasoning } from '../reasoning.ts'
import type { CallContext, RawAnswer, TextProvider, TextRequest, WrittenText } from '../types.ts'

/** The longest document has some 100 kB. */
const MAX_BYTES = 2 * 1024 * 1024

export function openaiText(access: ProviderAccess): TextProvider {
  const { structured } = access.options
  // What an endpoint wants is found out once a process; the settings can say it.
  let dialect: OpenAiDialect = { structured: structured ?? 'schema', strict: true }
  let proven = false

  async function write(request: TextRequest, context: CallContext): Promise<RawAnswer> {
    for (let asked = dialect; ; ) {
      try {
        const answer = await requestCompletion(access, request, asked, context)
        dialect = asked
        proven = true
        return answer
      } catch (error) {
        const next =
          error instanceof GenerationError
            ? adaptDialect(asked, error, structured, proven || request.schema === undefined)
            : undefined
        if (next === undefined) throw error
        // Refused for how it was put, before anything was made.
        asked = next
      }
    }
  }

  function read({ body }: RawAnswer): WrittenText {
    const completion = parseCompletion(body.toString())
    if (typeof completion === 'string') throw unreadableAnswer(access, completion)
    return { text: completion.text, finish: completion.finish }
  }

  return { ...providerIdentity(access), write, read, redact: (text) => redactProviderSecrets(text, access) }
}

async function requestCompletion(
  access: ProviderAccess,
  request: TextRequest,
  dialect: OpenAiDialect,
  context: CallContext,
): Promise<RawAnswer> {
  const question = {
    path: '/chat/completions',
    body: { model: access.model, ...questionBody(request, dialect) },
    maxBytes: MAX_BYTES,
  }
  const answered = await requestProvider(access, question, dialectKey(dialect, context))
  const body = answered.body.toString('utf8')
  const completion = parseCompletion(body)
  if (typeof completion === 'string') throw failureOfAnswer(access, body, completion)
  const usage = normaliseUsage(completion.used)
  return toRawAnswer(access, { body, usage, charged: completion.charged })
}

/** Another question is another call: where idempotency keys are honoured, the old one would be answered as before. */
const dialectKey = ({ structured, strict }: OpenAiDialect, context: CallContext): CallContext => ({
  ...context,
  idempotencyKey: `${context.idempotencyKey}-${structured}${strict ? '' : '-loose'}`,
})

function questionBody({ system, messages, schema }: TextRequest, { structured, strict }: OpenAiDialect) {
  if (schema === undefined) return { messages: [{ role: 'system', content: system }, ...messages] }
  const { name, json } = schema
  const format = {
    schema: { type: 'json_schema', json_schema: { name, strict, schema: json } },
    json: { type: 'json_object' },
    text: undefined,
  }[structured]
  const content = structured === 'schema' ? system : system + instruction(json)
  return { messages: [{ role: 'system', content }, ...messages], response_format: format }
}

const instruction = (schema: Record<string, unknown>): string =>
  `\n\nAnswer with one JSON value and nothing else. It must match this JSON schema:\n${JSON.stringify(schema)}`

/** How an endpoint wants to be asked, where those that speak this API differ. */
interface OpenAiDialect {
  structured: 'schema' | 'json' | 'text'
  /** Whether the schema is to be kept to the letter: then some refuse what they cannot hold a model to. */
  strict: boolean
}

/** How to ask after a refusal, if at all. @param blameless whether the schema cannot be why */
function adaptDialect(
  dialect: OpenAiDialect,
  refused: GenerationError,
  pinned: OpenAiDialect['structured'] | undefined,
  blameless: boolean,
): OpenAiDialect | undefined {
  const { status = 0, codes } = (refused.details ?? {}) as { status?: number; codes?: string }
  if (![400, 422, 500].includes(status)) return undefined
  const about = `${codes} ${refused.message}`
  const { structured, strict } = dialect
  // Some servers fail over a schema without a word of it.
  if (status === 500 && structured === 'schema' && !blameless && pinned === undefined)
    return { ...dialect, structured: 'json' }
  if (structured === 'text' || !structuredWords.test(about)) return undefined
  if (
    structured === 'schema' &&
    strict &&
    /invalid schema|additionalProperties|strict|'required'/i.test(about)
  )
    return { ...dialect, strict: false }
  if (pinned !== undefined) return undefined
  return { ...dialect, structured: structured === 'schema' ? 'json' : 'text' }
}

const MAX_PARTS = 1_000

/** A piece of a text; one of thoughts is none. */
const part = z.union([
  z.object({ type: z.string().regex(/think|reason|thought/i) }).transform(() => ({ text: '', refusal: '' })),
  z.object({ text: z.string().nullish(), refusal: z.string().nullish().catch(null) }),
])
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
interface Completion extends WrittenText {
  used: { input_tokens: unknown; output_tokens: unknown }
  /** What it says that this cost, as OpenRouter does. */
  charged: unknown
}

/** Reads an answer. @returns why it cannot be read, as part of a sentence, where it cannot */
export function parseCompletion(body: string): Completion | string {
  const value = parseJson(body.replace(/^\ufeff/, ''))
  if (value === undefined) return 'it is not JSON, or only the beginning of it'
  const { data } = completionSchema.safeParse(value)
  const [choice] = data?.choices ?? []
  if (!data || !choice) return 'it has no text in it'
  const { message, finish_reason: reason } = choice
  // OpenRouter says so of a model that failed amid its text.
  if (/^error$/i.test(reason ?? '')) return 'the model failed before the text ended'
  const { text, refused } = message.content
  const refusal = message.refusal || refused
  return {
    text: stripReasoning(text) || refusal,
    finish: refusal !== '' || isRefused(reason) ? 'refused' : isTruncated(reason) ? 'length' : 'stop',
    used: { input_tokens: data.usage?.prompt_tokens, output_tokens: data.usage?.completion_tokens },
    charged: data.usage?.cost,
  }
}

const isRefused = (reason: string | null | undefined): boolean =>
  /^(content_filter|safety|refusal|prohibited_content|sensitive)$/i.test(reason ?? '')
const isTruncated = (reason: string | null | undefined): boolean =>
  /^(length|max_tokens|model_length)$/i.test(reason ?? '')
