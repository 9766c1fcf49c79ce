import { GenerationError } from '../../failure.ts'
import { bearerHeader, type ProviderAccess, redactProviderKey } from '../access.ts'
import { errorInsideSuccess } from '../provider-errors.ts'
import { normaliseUsage, requestProvider, toRawAnswer, unreadableAnswer } from '../provider-request.ts'
import type { CallContext, RawAnswer, TextProvider, TextRequest, WrittenText } from '../types.ts'
import { errorBodyOf, parseCompletion } from './completion.ts'

/** A long section of a slow model on a small machine. */
const TIMEOUT_MS = 300_000
/** The longest document has some 100 kB. */
const MAX_BYTES = 2 * 1024 * 1024

/** A language model behind an endpoint that speaks as OpenAI's does. */
export function openaiText(access: ProviderAccess): TextProvider {
  const { structured } = access.options
  // What an endpoint wants is found out once a process; the settings can say it.
  let dialect: OpenAiDialect = { structured: structured ?? 'schema', strict: true, bound: 'max_tokens' }

  async function write(request: TextRequest, context: CallContext): Promise<RawAnswer> {
    for (;;) {
      const asked = dialect
      try {
        return await requestCompletion(access, request, asked, context)
      } catch (error) {
        const next = error instanceof GenerationError ? adaptDialect(asked, error, structured) : undefined
        if (next === undefined) throw error
        // Refused for how it was put, before anything was made.
        dialect = next
      }
    }
  }

  function read({ body }: RawAnswer): WrittenText {
    const completion = parseCompletion(body.toString())
    if (typeof completion === 'string') throw unreadableAnswer(access, completion)
    return { text: completion.text, finish: completion.finish }
  }

  return { name: access.name, model: access.model, concurrency: access.concurrency, write, read }
}

async function requestCompletion(
  access: ProviderAccess,
  request: TextRequest,
  dialect: OpenAiDialect,
  context: CallContext,
): Promise<RawAnswer> {
  const body = await requestThroughSdk(access, request, dialect, dialectKey(dialect, context))
  const completion = parseCompletion(body)
  if (typeof completion === 'string')
    throw errorInsideSuccess(access, errorBodyOf(body)) ?? unreadableAnswer(access, completion)
  const usage = normaliseUsage(completion.used)
  return toRawAnswer(access, { body, contentType: 'application/json', usage, charged: completion.charged })
}

/** Another question is another call: where idempotency keys are honoured, the old one would be answered as before. */
const dialectKey = ({ structured, strict, bound }: OpenAiDialect, context: CallContext): CallContext => ({
  ...context,
  idempotencyKey: `${context.idempotencyKey}-${structured}${strict ? '' : '-loose'}-${bound}`,
})

/**
 * The question as the SDK puts it, and the answer as it came. The SDK's own reading of it is of no use: what is kept must be
 * what was sent, and what it cannot read may be readable after all.
 */
async function requestThroughSdk(
  access: ProviderAccess,
  { system, messages, schema, maxOutputTokens }: TextRequest,
  { structured, strict, bound }: OpenAiDialect,
  context: CallContext,
): Promise<string> {
  // Loaded by the first question: a start must not wait for it, nor hold it in memory.
  const [{ generateText, jsonSchema, Output }, { createOpenAICompatible }] = await Promise.all([
    import('ai'),
    import('@ai-sdk/openai-compatible'),
  ])
  // It would write its own lines to the console.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  let answer: string | undefined
  let failure: unknown
  const provider = createOpenAICompatible({
    name: 'provider',
    baseURL: access.url,
    supportsStructuredOutputs: structured === 'schema',
    transformRequestBody: ({ max_tokens, ...body }) => ({
      ...body,
      ...(max_tokens === undefined ? {} : { [bound]: max_tokens }),
      ...access.options.extra,
    }),
    async fetch(_url, init) {
      try {
        const question = {
          path: '/chat/completions',
          body: String(init?.body),
          headers: bearerHeader(access),
          maxBytes: MAX_BYTES,
          timeoutMs: TIMEOUT_MS,
        }
        const answered = await requestProvider(access, question, context)
        answer = redactProviderKey(answered.body.toString('utf8'), access)
        return new Response(answer, { headers: { 'content-type': 'application/json' } })
      } catch (error) {
        failure = error
        throw error
      }
    },
  })
  const inWords = schema !== undefined && structured !== 'schema' ? instruction(schema.json) : ''
  await generateText({
    model: provider.chatModel(access.model),
    maxRetries: 0,
    providerOptions: { openaiCompatible: { strictJsonSchema: strict } },
    system: `${system}${inWords}`,
    messages,
    abortSignal: context.signal,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(schema === undefined || structured === 'text'
      ? {}
      : {
          output:
            structured === 'schema'
              ? Output.object({ name: schema.name, schema: jsonSchema(schema.json) })
              : Output.json({ name: schema.name }),
        }),
  }).catch((error: unknown) => {
    if (answer === undefined) failure ??= error
  })
  if (answer === undefined) throw failure
  return answer
}

const instruction = (schema: Record<string, unknown>): string =>
  `\n\nAnswer with one JSON value and nothing else. It must match this JSON schema:\n${JSON.stringify(schema)}`

/** How an endpoint wants to be asked, where those that speak this API differ. */
interface OpenAiDialect {
  /** How JSON is asked for: by its schema, as any JSON, or in words alone. */
  structured: 'schema' | 'json' | 'text'
  /** Whether the schema is to be kept to the letter: then some refuse what they cannot hold a model to. */
  strict: boolean
  /** What the bound of an answer is called. OpenAI's newer models refuse the older name. */
  bound: 'max_tokens' | 'max_completion_tokens'
}

/** How to ask otherwise after it was refused so; undefined where that would change nothing. */
function adaptDialect(
  dialect: OpenAiDialect,
  refused: GenerationError,
  pinned: OpenAiDialect['structured'] | undefined,
): OpenAiDialect | undefined {
  const { status, codes } = (refused.details ?? {}) as { status?: number; codes?: string }
  if (status !== 400 && status !== 422) return undefined
  const about = `${codes} ${refused.message}`
  const { structured, strict, bound } = dialect
  if (bound === 'max_tokens' && /max_completion_tokens/.test(about))
    return { ...dialect, bound: 'max_completion_tokens' }
  if (structured === 'text' || !/response_?format|json_|structured|schema|grammar/i.test(about))
    return undefined
  if (
    structured === 'schema' &&
    strict &&
    /invalid schema|additionalProperties|strict|'required'/i.test(about)
  )
    return { ...dialect, strict: false }
  if (pinned !== undefined) return undefined
  return { ...dialect, structured: structured === 'schema' ? 'json' : 'text' }
}
