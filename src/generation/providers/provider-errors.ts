import { z } from 'zod'
import { parseRetryAfter } from '../../errors.ts'
import { excerpt } from '../../lib/text.ts'
import { GenerationError } from '../failure.ts'
import { type ProviderAccess, providerLabel, redactProviderSecrets } from './access.ts'

interface ErrorResponse {
  status: number
  headers: Record<string, string>
  body: string
}

type RefusingProvider = Pick<ProviderAccess, 'name' | 'model' | 'key' | 'settings'>

interface RefusalFacts {
  who: string
  /** `: "…"`, or nothing. */
  said: string
  settings: ProviderAccess['settings']
}

interface RefusalRule {
  when: (status: number, said: ProviderFailure) => boolean
  reason: GenerationError['reason']
  of: GenerationError['of']
  /** Only who runs Galley can end it. */
  owner?: true
  /** A gateway that lost the one behind it does not know what that one did. */
  made?: true
  tell: (facts: RefusalFacts) => string
}

const moderationCodes =
  /content_?filter|content_?policy|moderation|responsibleai|data_inspection|prohibited_content|flagged|image_safety|^safety/
const moderationText = /content (management )?policy|safety system|moderation|flagged|content filter/i
const outOfCredit = /insufficient_(quota|credits|balance)|billing|payment_required|credit_balance/
/** 402, and what Tavily says where a plan or a month is used up. */
const planExhaustedStatuses = [402, 432, 433]
const unknownModel = /model_not_found|invalid_model|unknown_model|model_not_supported/

/** What an answer that is none means, the first that fits. */
const refusalRules: RefusalRule[] = [
  {
    when: (status, { codes, message }) =>
      [400, 403, 422, 451].includes(status) &&
      (moderationCodes.test(codes) || (moderationText.test(message) && !/key|permission/i.test(message))),
    reason: 'CONTENT_MODERATION',
    of: 'job',
    tell: ({ who, said }) =>
      `The moderation of ${who} declined this request${said}. Change what is asked for.`,
  },
  {
    when: (status, { codes }) => planExhaustedStatuses.includes(status) || outOfCredit.test(codes),
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'provider',
    owner: true,
    tell: ({ who, said, settings }) =>
      `The account that Galley has with ${who} is out of credit${said}. Its operator can add credit there, or set another key in ${settings.key}.`,
  },
  {
    when: (status, { codes }) => [404, 400].includes(status) && (status === 404 || unknownModel.test(codes)),
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'provider',
    owner: true,
    tell: ({ who, said, settings }) =>
      `${who} knows no such model, or nothing at this address${said}. Galley’s operator can correct ${settings.model} or ${settings.url}.`,
  },
  {
    when: (status) => status === 401 || status === 403,
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'provider',
    owner: true,
    tell: ({ who, said, settings }) =>
      `${who} does not accept Galley’s key${said}. Galley’s operator can set another in ${settings.key}.`,
  },
  {
    when: (status) => (status >= 300 && status <= 399) || status === 405 || status === 410,
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'provider',
    owner: true,
    tell: ({ who, settings }) =>
      `There is no such service at the address of ${who}. Galley’s operator can correct ${settings.url}.`,
  },
  {
    when: (status) => [408, 409, 423, 425, 429].includes(status),
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'provider',
    tell: ({ who, said }) => `${who} asks Galley to wait for a while${said}. Galley tries again later.`,
  },
  {
    when: (status) => [502, 504, 522, 524].includes(status),
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'provider',
    made: true,
    tell: ({ who, said }) =>
      `${who} did not answer its own gateway in time${said}. Galley tries again later.`,
  },
  {
    when: (status) => status >= 500,
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'provider',
    tell: ({ who, said }) => `${who} is in trouble${said}. Galley tries again later.`,
  },
  {
    when: () => true,
    reason: 'PROVIDER_REJECTED',
    of: 'job',
    tell: ({ who, said }) => `${who} refused this request${said}.`,
  },
]

/** What follows from an answer that is not a 2xx. */
export function errorFromResponse(
  access: RefusingProvider,
  { status, headers, body }: ErrorResponse,
): GenerationError {
  const said = parseProviderFailure(body)
  const words = redactProviderSecrets(said.message, access)
  // The last fits everything.
  const meaning = refusalRules.find(({ when }) => when(status, said)) as RefusalRule
  const facts = {
    who: providerLabel(access),
    said: ` (${status}${words === '' ? '' : `: “${words}”`})`,
    settings: access.settings,
  }
  return new GenerationError({
    reason: meaning.reason,
    of: meaning.of,
    made: meaning.made ?? false,
    message: meaning.tell(facts),
    retryAfterMs: meaning.of === 'provider' ? retryAfterOf(headers, said) : undefined,
    ...(meaning.owner ? { action: 'owner' as const } : {}),
    details: { status, codes: redactProviderSecrets(said.codes, access) },
  })
}

/** What the headers, or else the body, ask for. */
function retryAfterOf(headers: Record<string, string>, said: ProviderFailure): number | undefined {
  const inMs = Number(headers['retry-after-ms'] || Number.NaN)
  const asked = Number.isNaN(inMs)
    ? (headers['retry-after'] ??
      (said.retryAfterMs === undefined ? undefined : String(said.retryAfterMs / 1000)))
    : String(inMs / 1000)
  return parseRetryAfter(asked, Date.now())
}

interface ProviderFailure {
  /** Its own codes and types, together, in lower case. */
  codes: string
  message: string
  /** Milliseconds, where the body says so, as Gemini's does. */
  retryAfterMs: number | undefined
}

const MAX_MESSAGE_LENGTH = 300

/** Characters of a failure; what is longer is no failure that anybody wrote down. */
const MAX_ERROR_LENGTH = 64 * 1024

const codeWord = z.union([z.string(), z.number()]).transform(String).optional().catch(undefined)
const innerError = z
  .object({
    message: z.string().optional().catch(undefined),
    code: codeWord,
    type: codeWord,
    status: codeWord,
    param: codeWord,
    innererror: z.object({ code: codeWord }).optional().catch(undefined),
    details: z
      .array(z.object({ retryDelay: z.string().max(20).optional().catch(undefined) }).catch({}))
      .optional()
      .catch(undefined),
  })
  .optional()
const shapes = z.object({
  error: z
    .union([z.string().transform((message) => ({ message })), innerError])
    .optional()
    .catch(undefined),
  message: z.string().optional().catch(undefined),
  detail: z.string().optional().catch(undefined),
  code: codeWord,
  type: codeWord,
})

/** Reads the body of a failure; what it cannot read says nothing. */
export function parseProviderFailure(body: string): ProviderFailure {
  const { data } = shapes.safeParse(parsed(body))
  const error: z.output<typeof innerError> = data?.error
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
    message: excerpt(message.replace(/\s+/g, ' ').trim(), MAX_MESSAGE_LENGTH),
    retryAfterMs: seconds === undefined ? undefined : Number(seconds) * 1000,
  }
}

function parsed(body: string): unknown {
  if (body.length > MAX_ERROR_LENGTH) return undefined
  try {
    const value: unknown = JSON.parse(body)
    // Gemini puts it into a list where it streams.
    return Array.isArray(value) ? value[0] : value
  } catch {
    return undefined
  }
}

/** A failure that came as a 200, as OpenRouter's do; undefined where the answer tells of none. */
export function errorInsideSuccess(access: ProviderAccess, body: string): GenerationError | undefined {
  const { error } = parseObject(body) as { error?: { code?: unknown } | null }
  if (error === undefined || error === null) return undefined
  const code = Number(error.code)
  return errorFromResponse(access, { status: code >= 400 && code <= 599 ? code : 502, headers: {}, body })
}

function parseObject(body: string): object {
  if (body.length > MAX_ERROR_LENGTH) return {}
  try {
    const value: unknown = JSON.parse(body)
    return value !== null && typeof value === 'object' ? value : {}
  } catch {
    return {}
  }
}
