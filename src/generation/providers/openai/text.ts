import { GenerationError } from '../../failure.ts'
import type { Access } from '../access.ts'
import type { RawAnswer } from '../answer.ts'
import { exchange, unreadable } from '../exchange.ts'
import { withoutKey } from '../keep-secret.ts'
import { failureInside } from '../refusal-inside.ts'
import type { CallContext, TextProvider, TextRequest, WrittenText } from '../types.ts'
import { rawAnswer, usageOf } from '../usage.ts'
import { bearer } from './bearer.ts'
import { failureIn, readCompletion } from './completion.ts'
import { type Dialect, otherwise } from './dialect.ts'

/** A long section of a slow model on a small machine. */
const TIMEOUT_MS = 300_000
/** The longest document has some 100 kB. */
const MAX_BYTES = 2 * 1024 * 1024

/** A language model behind an endpoint that speaks as OpenAI's does. */
export function openaiText(access: Access): TextProvider {
  const { structured } = access.options
  // What an endpoint wants is found out once a process; the settings can say it.
  let dialect: Dialect = { structured: structured ?? 'schema', strict: true, bound: 'max_tokens' }

  async function write(request: TextRequest, context: CallContext): Promise<RawAnswer> {
    for (;;) {
      const asked = dialect
      try {
        return await ask(access, request, asked, context)
      } catch (error) {
        const next = error instanceof GenerationError ? otherwise(asked, error, structured) : undefined
        if (next === undefined) throw error
        // Refused for how it was put, before anything was made.
        dialect = next
      }
    }
  }

  function read({ body }: RawAnswer): WrittenText {
    const completion = readCompletion(body.toString())
    if (typeof completion === 'string') throw unreadable(access, completion)
    return { text: completion.text, finish: completion.finish }
  }

  return { name: access.name, model: access.model, concurrency: access.concurrency, write, read }
}

async function ask(
  access: Access,
  request: TextRequest,
  dialect: Dialect,
  context: CallContext,
): Promise<RawAnswer> {
  const body = await askThroughSdk(access, request, dialect, keyedBy(dialect, context))
  const completion = readCompletion(body)
  if (typeof completion === 'string')
    throw failureInside(access, failureIn(body)) ?? unreadable(access, completion)
  const usage = usageOf(completion.used)
  return rawAnswer(access, { body, contentType: 'application/json', usage, charged: completion.charged })
}

/** Another question is another call: where idempotency keys are honoured, the old one would be answered as before. */
const keyedBy = ({ structured, strict, bound }: Dialect, context: CallContext): CallContext => ({
  ...context,
  idempotencyKey: `${context.idempotencyKey}-${structured}${strict ? '' : '-loose'}-${bound}`,
})

/**
 * The question as the SDK puts it, and the answer as it came. The SDK's own reading of it is of no use: what is kept must be
 * what was sent, and what it cannot read may be readable after all.
 */
async function askThroughSdk(
  access: Access,
  { system, messages, schema, maxOutputTokens }: TextRequest,
  { structured, strict, bound }: Dialect,
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
          headers: bearer(access),
          maxBytes: MAX_BYTES,
          timeoutMs: TIMEOUT_MS,
        }
        const answered = await exchange(access, question, context)
        answer = withoutKey(answered.body.toString('utf8'), access)
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
