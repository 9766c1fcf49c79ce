import { z } from 'zod'
import { GalleyError } from '../../errors.ts'
import { excerpt, parseJson, truncate } from '../../lib/text.ts'
import { GenerationError, jobFailure, providerFailure } from '../failure.ts'
import { bearerHeader, type ProviderAccess, providerLabel, redactProviderSecrets } from './access.ts'
import { errorFromResponse, errorInsideSuccess } from './provider-errors.ts'
import type { ModelSettings } from './settings/schema.ts'
import type { CallContext, RawAnswer } from './types.ts'

export interface ProviderRequest {
  path: string
  method?: 'GET' | 'POST'
  body?: object
  /** Beside the content type and the idempotency key; the key as a bearer unless given. */
  headers?: Record<string, string>
  maxBytes: number
  timeoutMs?: number
}

/** A long section of a slow model on a small machine. */
export const CALL_TIMEOUT_MS = 300_000

/** Follows no redirect, which would carry the key elsewhere. @throws GenerationError unless a 2xx */
export async function requestProvider(
  access: ProviderAccess,
  question: ProviderRequest,
  context: CallContext,
): Promise<{ contentType: string; body: Buffer }> {
  const { path, method = 'POST', body, headers, maxBytes, timeoutMs = CALL_TIMEOUT_MS } = question
  const { outbound, url } = access
  const asked = {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      'idempotency-key': context.idempotencyKey,
      ...(headers ?? bearerHeader(access)),
    },
    body: body === undefined ? null : JSON.stringify({ ...body, ...access.options.extra }),
    maxBytes,
    timeoutMs: access.timeoutMs ?? timeoutMs,
    signal: context.signal,
  }
  const answer = await outbound.request(`${url}${path}`, asked).catch((error: unknown) => {
    throw noResponseError(access, error, context)
  })
  const { status } = answer
  if (status < 200 || status > 299)
    throw errorFromResponse(access, { status, headers: answer.headers, body: answer.body.toString('utf8') })
  const contentType = answer.headers['content-type'] ?? ''
  if (isWebPage(contentType, answer.body))
    throw providerFailure(
      `${providerLabel(access)} answered with a web page, so its address is not that of an API. Galley’s operator can correct ${access.settings.url}; many such addresses end in /v1.`,
      { action: 'owner', ofModel: true },
    )
  return { contentType, body: answer.body }
}

/** What follows where no answer came: something may have been made where the request had left. */
function noResponseError(access: ProviderAccess, error: unknown, { signal }: CallContext): unknown {
  // Who aborted knows, and it is nobody's failure; nor is it this one's that Galley has no memory for its answer.
  if (signal.aborted || !(error instanceof GalleyError) || error.code === 'memory_busy') return error
  const made = error.action === 'ambiguous'
  if (error.code === 'answer_too_big')
    return jobFailure(
      'INVALID_OUTPUT',
      `${providerLabel(access)} answered with more than Galley reads, so it stopped reading.`,
      { made, cause: error },
    )
  const facts = { made, cause: error }
  const message = `${providerLabel(access)} cannot be asked. ${error.message}`
  if (error.action !== 'owner') return providerFailure(message, facts)
  const { url } = access.settings
  const remedy = `Galley’s operator can correct ${url}.`
  return providerFailure(`${message} ${remedy}`, { ...facts, action: 'owner' })
}

/** A login page, a parked domain, a front end: whatever it is, it is not the API. */
const isWebPage = (contentType: string, body: Buffer): boolean =>
  /^\s*text\/html/i.test(contentType) || /^\s*<(!doctype html|html)/i.test(body.toString('latin1', 0, 200))

/** What an answer with HTTP 200 means that is none of its API: the failure that it tells of, or its beginning. */
export const failureOfAnswer = (access: ProviderAccess, body: string, why: string): GenerationError => {
  const start = redactProviderSecrets(truncate(body, 20 * MAX_QUOTED_ANSWER), access)
  const quoted = excerpt(start.replace(/\s+/g, ' ').trim(), MAX_QUOTED_ANSWER)
  return (
    errorInsideSuccess(access, body) ??
    unreadableAnswer(access, quoted === '' ? why : `${why} (it begins with “${quoted}”)`)
  )
}

const MAX_QUOTED_ANSWER = 120

/** An answer that says it went well and cannot be read as one of this API. It may have been charged for. */
export const unreadableAnswer = (access: Pick<ProviderAccess, 'name' | 'model'>, why: string) =>
  providerFailure(`${providerLabel(access)} answered with what is not an answer of its API: ${why}.`, {
    made: true,
  })

/** The first entries of a list. What nobody reads is not looked at: a wrong entry costs as much as a right one, or more. */
export const firstEntries = <Entry extends z.ZodType>(most: number, entry: Entry) =>
  z.preprocess((list) => (Array.isArray(list) ? list.slice(0, most) : list), z.array(entry))

/** A list of so many entries at most; a longer one is none. */
export const boundedArray = <Entry extends z.ZodType>(most: number, entry: Entry) =>
  z.preprocess((list) => (Array.isArray(list) && list.length > most ? null : list), z.array(entry))

/** Values in an answer that is a file in base64, and little beside it. */
const MAX_JSON_VALUES = 10_000

/** Parses JSON that holds a file; undefined for too many values: 28 MiB of them take all memory. */
export function parseJsonWithFile(body: string): unknown {
  let left = MAX_JSON_VALUES
  for (const mark of ['[', '{', ','])
    for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + 1)) {
      left -= 1
      if (left === 0) return undefined
    }
  return parseJson(body)
}

const MAX_PLAUSIBLE_COUNT = 50_000_000

/** Statuses of a refusal over a member that the server does not know; 500 where it is a Python function's argument. */
const memberStatuses = [400, 422, 500]

const saysUnknown =
  /unknown|unrecogni[sz]ed|unexpected|unsupported|not (?:supported|permitted|allowed|recogni[sz]ed)/i

/** Asks with members that not every server knows; a refused one is left out from then on. @param unknown their names; grows */
export async function askWithoutUnknown<Answer>(
  members: Readonly<Record<string, unknown>>,
  unknown: Set<string>,
  context: CallContext,
  ask: (members: Record<string, unknown>, context: CallContext) => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    const sent = Object.fromEntries(Object.entries(members).filter(([name]) => !unknown.has(name)))
    const left = Object.keys(members).filter((name) => unknown.has(name))
    try {
      const idempotencyKey = [context.idempotencyKey, ...left.map((name) => `without-${name}`)].join('-')
      return await ask(sent, { ...context, idempotencyKey })
    } catch (error) {
      const named = error instanceof GenerationError ? membersRefused(error) : []
      const refused = Object.keys(sent).find((name) => named.includes(name))
      if (refused === undefined) throw error
      unknown.add(refused)
    }
  }
}

/** The words among which a refusal names the member that it is about; none where moderation declined. */
function membersRefused({ reason, details }: GenerationError): string[] {
  const { status = 0, codes = '', words = '' } = (details ?? {}) as Partial<RefusalDetails>
  if (reason === 'CONTENT_MODERATION' || !memberStatuses.includes(status)) return []
  const sentence = saysUnknown.test(words) ? words : ''
  return `${codes} ${sentence}`.split(/\W+/)
}

interface RefusalDetails {
  status: number
  codes: string
  words: string
}

const plausibleCount = z.int().min(0).max(MAX_PLAUSIBLE_COUNT)

/** What was used, by name; a count that is none is left out. Undefined where nothing is left. */
export function normaliseUsage(claimed: Record<string, unknown>): Record<string, number> | undefined {
  const counts = Object.entries(claimed).filter(([, count]) => plausibleCount.safeParse(count).success)
  return counts.length === 0 ? undefined : (Object.fromEntries(counts) as Record<string, number>)
}

const unitPrices = {
  input_tokens: ['input', 1_000_000],
  output_tokens: ['output', 1_000_000],
  images: ['image', 1],
  characters: ['characters', 1_000_000],
} as const

/** What that cost in millionths, rounded up; undefined where no price is for it. */
function estimateCostMicros(usage: Record<string, number> | undefined, { prices }: ModelSettings) {
  let micros: number | undefined
  for (const [name, [price, many]] of Object.entries(unitPrices)) {
    const [used, each] = [usage?.[name], prices?.[price]]
    if (used !== undefined && each !== undefined) micros = (micros ?? 0) + (used * each * 1_000_000) / many
  }
  return micros === undefined ? undefined : Math.ceil(micros - 1e-6)
}

/** More than one call costs, in whole units of a currency. */
const MAX_PLAUSIBLE_CHARGE = 10_000

/** What a provider itself says that it charged, in millionths; undefined where that is no amount. */
const chargedMicros = (charged: unknown): number | undefined =>
  typeof charged === 'number' && charged >= 0 && charged <= MAX_PLAUSIBLE_CHARGE
    ? Math.ceil(charged * 1_000_000 - 1e-6)
    : undefined

interface UnpricedAnswer extends Pick<RawAnswer, 'body' | 'contentType' | 'withoutStyle' | 'withoutQuality'> {
  usage: Record<string, number> | undefined
  /** In whole units of a currency, by the provider's own word; counts where the settings have no price. */
  charged?: unknown
}

/** An answer as it is kept, with what it used and cost where that is known. */
export function toRawAnswer(
  { name, model, options }: Pick<ProviderAccess, 'name' | 'model' | 'options'>,
  { usage, charged, ...answer }: UnpricedAnswer,
): RawAnswer {
  const costMicros = estimateCostMicros(usage, options) ?? chargedMicros(charged)
  return { provider: name, model, ...answer, usage, costMicros }
}
