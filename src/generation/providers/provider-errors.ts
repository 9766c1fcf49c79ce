import { parseRetryAfter } from '../../errors.ts'
import { excerpt, parseJson, scalarText } from '../../lib/text.ts'
import { GenerationError } from '../failure.ts'
import { type ProviderAccess, providerLabel, redactProviderSecrets } from './access.ts'

interface ErrorResponse {
  status: number
  headers: Record<string, string>
  body: string
  /** The status that the body has meant, where it came with a 200. */
  means?: number
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
  /** Of a failure that is the job's; else the provider is in trouble. */
  reason?: GenerationError['reason']
  /** Only who runs Galley can end it. */
  owner?: true
  /** Another model of the same provider may work. */
  ofModel?: true
  /** A gateway that lost the one behind it does not know what that one did. */
  made?: true
  tell: (facts: RefusalFacts) => string
}

const moderationCodes =
  /content_?filter|content_?policy|moderation|responsibleai|data_inspection|prohibited_content|flagged|image_safety|^safety/
const moderationText = /content (management )?policy|safety system|moderation|flagged|content filter/i
const outOfCredit = /insufficient_(quota|credits|balance)|billing|payment_required|credit_balance/
/** Gemini, xAI and Anthropic say so with a 400, in words alone. */
const refusedKeyText =
  /api.?key (?:is )?(?:not valid|invalid|expired|not found)|(?:invalid|incorrect) api.?key/i
const outOfCreditText = /credit balance is too low/i
/** 402, and what Tavily says where a plan or a month is used up. */
const planExhaustedStatuses = [402, 432, 433]
const unknownModel = /model_not_found|invalid_model|unknown_model|model_not_supported/

/** What a server says that does not take a JSON schema. */
export const structuredWords = /response_?format|json_|structured|schema|grammar/i

/** What an answer that is none means, the first that fits. */
const refusalRules: RefusalRule[] = [
  {
    when: (status, { codes, message }) =>
      [400, 403, 422, 451].includes(status) &&
      (moderationCodes.test(codes) || (moderationText.test(message) && !/key|permission/i.test(message))),
    reason: 'CONTENT_MODERATION',
    tell: ({ who, said }) =>
      `The moderation of ${who} declined this request${said}. Change what is asked for.`,
  },
  {
    when: (status, { codes, message }) =>
      planExhaustedStatuses.includes(status) ||
      outOfCredit.test(codes) ||
      (status === 400 && outOfCreditText.test(message)),
    owner: true,
    tell: ({ who, said, settings }) =>
      `The account that Galley has with ${who} is out of credit${said}. Its operator can add credit there, or set another key in ${settings.key}.`,
  },
  {
    when: (status, { codes }) =>
      (status >= 300 && status <= 399) ||
      [404, 405, 410].includes(status) ||
      (status === 400 && unknownModel.test(codes)),
    owner: true,
    ofModel: true,
    tell: ({ who, said, settings }) =>
      `${who} knows no such model, or nothing at this address${said}. Galley’s operator can correct ${settings.model} or ${settings.url}.`,
  },
  {
    when: (status, { message }) =>
      status === 401 || status === 403 || (status === 400 && refusedKeyText.test(message)),
    owner: true,
    tell: ({ who, said, settings }) =>
      `${who} does not accept Galley’s key${said}. Galley’s operator can set another in ${settings.key}.`,
  },
  {
    when: (status) => [408, 409, 423, 425, 429].includes(status),
    tell: ({ who, said }) => `${who} asks Galley to wait for a while${said}. Galley tries again later.`,
  },
  {
    when: (status) => [502, 504, 522, 524].includes(status),
    made: true,
    tell: ({ who, said }) =>
      `${who} did not answer its own gateway in time${said}. Galley tries again later.`,
  },
  {
    when: (status, { message }) => status === 500 && structuredWords.test(message),
    owner: true,
    ofModel: true,
    tell: ({ who, said }) =>
      `${who} fails over the JSON schema of its answers${said}. Galley’s operator can set structured of this model to json or text (docs/generation.md), or name another.`,
  },
  {
    when: (status) => status >= 500,
    tell: ({ who, said }) => `${who} is in trouble${said}. Galley tries again later.`,
  },
  {
    when: () => true,
    reason: 'PROVIDER_REJECTED',
    tell: ({ who, said }) => `${who} refused this request${said}.`,
  },
]

/** What follows from an answer that is not a 2xx, or tells of a failure in spite of it. */
export function errorFromResponse(
  access: RefusingProvider,
  { status, headers, body, means = status }: ErrorResponse,
): GenerationError {
  const said = parseProviderFailure(body)
  const [message, codes] = [said.message, said.codes].map((text) => redactProviderSecrets(text, access))
  const words = excerpt(message ?? '', MAX_MESSAGE_LENGTH)
  // The last fits everything.
  const meaning = refusalRules.find(({ when }) => when(means, said)) as RefusalRule
  const of = meaning.reason === undefined ? 'provider' : 'job'
  const facts = {
    who: providerLabel(access),
    said: ` (${status}${words === '' ? '' : `: “${words}”`})`,
    settings: access.settings,
  }
  return new GenerationError({
    reason: meaning.reason ?? 'PROVIDER_UNAVAILABLE',
    of,
    made: meaning.made ?? false,
    ofModel: meaning.ofModel ?? false,
    message: meaning.tell(facts),
    retryAfterMs: of === 'provider' ? retryAfterOf(headers, said) : undefined,
    ...(meaning.owner ? { action: 'owner' as const } : {}),
    details: { status: means, codes, words },
  })
}

function retryAfterOf(headers: Record<string, string>, said: ProviderFailure): number | undefined {
  const inMs = Number(headers['retry-after-ms'] || Number.NaN)
  const asked = Number.isNaN(inMs) ? (headers['retry-after'] ?? said.retryAfter) : String(inMs / 1000)
  return parseRetryAfter(asked, Date.now())
}

interface ProviderFailure {
  codes: string
  message: string
  /** Seconds, where the body says so, as Gemini's does. */
  retryAfter: string | undefined
}

const MAX_MESSAGE_LENGTH = 300

/** Characters of a failure; what is longer is no failure that anybody wrote down. */
const MAX_ERROR_LENGTH = 64 * 1024

/** Members in which providers put their words: OpenAI, FastAPI, Baidu, MiniMax and others. */
const messageMembers =
  'message msg detail error_message error_msg errorMessage status_msg description reason'.split(' ')
const codeMembers = 'code type status param error_code errorCode status_code'.split(' ')

/** Reads the body of a failure, whichever of the known shapes it has; what it cannot read says nothing. */
export function parseProviderFailure(body: string): ProviderFailure {
  const places = failurePlaces(body)
  const codes = [...places, ...places.map((place) => asObject(place.innererror))].flatMap((place) =>
    codeMembers.map((name) => place[name]).filter((code) => /^(string|number)$/.test(typeof code)),
  )
  const words = places.flatMap((place) => messageMembers.map((name) => place[name]))
  // FastAPI names the member of a request so.
  const located = places.flatMap(({ loc }) => (Array.isArray(loc) ? loc : []))
  const message = words.find((one) => typeof one === 'string' && one.trim() !== '')
  const delays = places.flatMap(({ details }) => firstOf(details, 10).map((one) => one.retryDelay))
  return {
    codes: [...codes, ...located.map(scalarText)].join(' ').toLowerCase(),
    message: scalarText(message).replace(/\s+/g, ' ').trim(),
    retryAfter: delays.flatMap((delay) => /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(scalarText(delay))?.[1] ?? [])[0],
  }
}

/** The objects of a failure that may say what it is, the innermost first. */
function failurePlaces(body: string): Record<string, unknown>[] {
  // Gemini puts it into a list where it streams.
  const [outer = {}] = firstOf(body.length > MAX_ERROR_LENGTH ? undefined : parseJson(body), 1)
  const inner = [outer.error, outer.errors, outer.base_resp, outer.detail].flatMap((value) =>
    typeof value === 'string' ? { message: value } : firstOf(value, 1),
  )
  const choices = firstOf(outer.choices, 1).map(({ error }) => asObject(error))
  return [...inner, ...choices, outer]
}

type Members = Record<string, unknown>
export const asObject = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}

/** The first objects of a list, a text being the message of one; or the one object that stands alone. */
const firstOf = (value: unknown, most: number): Members[] =>
  (Array.isArray(value) ? value.slice(0, most) : [value]).map((one) =>
    Array.isArray(value) && typeof one === 'string' ? { message: one } : asObject(one),
  )

/** What the words of a failure without an HTTP status mean, the first that fits. */
const statusByWords: readonly [number, RegExp][] = [
  [400, /content.?(?:management.)?policy|safety system|moderation|flagged|content.?filter/],
  [402, /insufficient|balance|quota|billing|arrear|out of credits?/],
  [429, /rate.?limit|too many|overload|capacity|busy|throttl|per (?:minute|hour|day)|try again|loading/],
  [401, /api.?key|unauthori[sz]ed|authenticat|invalid token|access denied|login fail/],
  [404, /model\b.*\b(?:not (?:found|exist|available|support)|does not|unknown)|(?:no such|unknown) model/],
  [400, /context|too long|maximum|exceed|invalid|unsupported|not supported|must be|bad.?request|policy/],
]

/** A failure that came with HTTP 200, wherever the answer tells of it; undefined where it tells of none. */
export function errorInsideSuccess(access: RefusingProvider, body: string): GenerationError | undefined {
  const places = failurePlaces(body)
  const said = parseProviderFailure(body)
  if (said.message === '' && !places.at(-1)?.error) return undefined
  const stated = places
    .flatMap((place) => codeMembers.map((name) => Number(scalarText(place[name]))))
    .find((code) => code >= 400 && code <= 599)
  const words = `${said.codes} ${said.message}`.toLowerCase()
  const means = stated ?? statusByWords.find(([, pattern]) => pattern.test(words))?.[0] ?? 500
  return errorFromResponse(access, { status: stated ?? 200, headers: {}, body, means })
}
