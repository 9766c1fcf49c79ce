import { z } from 'zod'
import { first, parseWithFile } from '../limited-lists.ts'

/** Speech in an answer of `generateContent`. */
export interface Audio {
  samples: Buffer
  /** MIME type, with the rate: `audio/L16;codec=pcm;rate=24000`. */
  type: string
  used: { input_tokens: unknown; output_tokens: unknown }
}

const part = z.object({
  inlineData: z.object({ mimeType: z.string().default(''), data: z.string() }).optional(),
})
const answerSchema = z.object({
  candidates: first(
    1,
    z.object({
      content: z.object({ parts: z.array(part).default([]) }).optional(),
      finishReason: z.string().optional(),
    }),
  ).default([]),
  promptFeedback: z.object({ blockReason: z.string().optional() }).optional(),
  usageMetadata: z
    .object({ promptTokenCount: z.unknown(), candidatesTokenCount: z.unknown() })
    .partial()
    .optional()
    .catch(undefined),
})

const MODERATED = /^(SAFETY|PROHIBITED_CONTENT|BLOCKLIST|SPII|RECITATION|IMAGE_SAFETY)$/

/** Reads an answer; or says why it has no speech, as part of a sentence, or that it was `moderated`. */
export function readAnswer(body: string): Audio | string {
  const value = parseWithFile(body)
  if (value === undefined)
    return 'it is not JSON, only the beginning of it, or has far more in it than speech'
  const { data } = answerSchema.safeParse(value)
  if (!data) return 'it is of another shape'
  const [candidate] = data.candidates
  const reason = candidate?.finishReason ?? 'STOP'
  if (data.promptFeedback?.blockReason !== undefined || MODERATED.test(reason)) return 'moderated'
  // What ended for another reason is cut off, though it has audio in it: OTHER and MAX_TOKENS come with half of it.
  if (reason !== 'STOP') return `it ended before the speech did (${reason.slice(0, 40)})`
  const pieces = (candidate?.content?.parts ?? []).flatMap(({ inlineData }) => inlineData ?? [])
  const [first] = pieces
  if (first === undefined) return 'it has no audio in it'
  return {
    samples: Buffer.concat(pieces.map((piece) => Buffer.from(piece.data, 'base64'))),
    type: first.mimeType,
    used: {
      input_tokens: data.usageMetadata?.promptTokenCount,
      output_tokens: data.usageMetadata?.candidatesTokenCount,
    },
  }
}
