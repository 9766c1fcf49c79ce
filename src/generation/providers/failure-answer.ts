import { z } from 'zod'
import { excerpt } from '../../text.ts'

/** What a provider says of a failure, in one of the shapes there are. */
export interface ProviderFailure {
  /** Its own codes and types, together, in lower case. */
  codes: string
  message: string
  /** Milliseconds, where the body says so, as Gemini's does. */
  retryAfterMs: number | undefined
}

const MOST = 300

/** Characters of a failure; what is longer is no failure that anybody wrote down. */
export const LONGEST_FAILURE = 64 * 1024

const word = z.union([z.string(), z.number()]).transform(String).optional().catch(undefined)
const inner = z
  .object({
    message: z.string().optional().catch(undefined),
    code: word,
    type: word,
    status: word,
    param: word,
    innererror: z.object({ code: word }).optional().catch(undefined),
    details: z
      .array(z.object({ retryDelay: z.string().max(20).optional().catch(undefined) }).catch({}))
      .optional()
      .catch(undefined),
  })
  .optional()
const shapes = z.object({
  error: z
    .union([z.string().transform((message) => ({ message })), inner])
    .optional()
    .catch(undefined),
  message: z.string().optional().catch(undefined),
  detail: z.string().optional().catch(undefined),
  code: word,
  type: word,
})

/** Reads the body of a failure; what it cannot read says nothing. */
export function readProviderFailure(body: string): ProviderFailure {
  const { data } = shapes.safeParse(parsed(body))
  const error: z.output<typeof inner> = data?.error
  const codes = [
    error?.code,
    error?.type,
    error?.status,
    error?.param,
    error?.innererror?.code,
    data?.code,
    data?.type,
  ]
  const message = error?.message ?? data?.message ?? data?.detail ?? ''
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(
    error?.details?.find(({ retryDelay }) => retryDelay)?.retryDelay ?? '',
  )?.[1]
  return {
    codes: codes.filter(Boolean).join(' ').toLowerCase(),
    message: excerpt(message.replace(/\s+/g, ' ').trim(), MOST),
    retryAfterMs: seconds === undefined ? undefined : Number(seconds) * 1000,
  }
}

function parsed(body: string): unknown {
  if (body.length > LONGEST_FAILURE) return undefined
  try {
    const value: unknown = JSON.parse(body)
    // Gemini puts it into a list where it streams.
    return Array.isArray(value) ? value[0] : value
  } catch {
    return undefined
  }
}
