import { z } from 'zod'
import { GalleyError } from '../../errors.ts'
import { GenerationError } from '../failure.ts'
import { type ProviderAccess, providerLabel, redactProviderKey } from './access.ts'
import { errorFromResponse } from './provider-errors.ts'
import type { ModelSettings } from './settings/schema.ts'
import type { CallContext, RawAnswer } from './types.ts'

export interface ProviderRequest {
  /** Below the provider's address, with its slash. */
  path: string
  method?: 'GET' | 'POST'
  body?: string
  /** Beside the content type and the idempotency key; the key of the provider among them. */
  headers?: Record<string, string>
  /** Bytes of an answer that are read at most. */
  maxBytes: number
  timeoutMs: number
}

/** What a provider answered with a 2xx, whole. */
interface ProviderResponse {
  status: number
  contentType: string
  body: Buffer
}

/**
 * Sends one request through the guard, without following redirects, which would carry the key
 * elsewhere.
 *
 * @throws GenerationError for anything but a 2xx that is no web page
 */
export async function requestProvider(
  access: ProviderAccess,
  question: ProviderRequest,
  context: CallContext,
): Promise<ProviderResponse> {
  const { path, method = 'POST', body, headers, maxBytes, timeoutMs } = question
  const { outbound, url } = access
  const asked = {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      'idempotency-key': context.idempotencyKey,
      ...headers,
    },
    body: body ?? null,
    maxBytes,
    timeoutMs: access.timeoutMs ?? timeoutMs,
    signal: context.signal,
  }
  const answer = await outbound.request(`${url}${path}`, asked).catch((error: unknown) => {
    throw noResponseError(access, error, context)
  })
  const text = () => redactProviderKey(answer.body.toString('utf8'), access)
  if (answer.status < 200 || answer.status > 299)
    throw errorFromResponse(access, { status: answer.status, headers: answer.headers, body: text() })
  const contentType = answer.headers['content-type'] ?? ''
  if (isWebPage(contentType, answer.body)) throw webPageError(access)
  return { status: answer.status, contentType, body: answer.body }
}

/** What follows where no answer came: something may have been made where the request had left. */
function noResponseError(access: ProviderAccess, error: unknown, { signal }: CallContext): unknown {
  // Who aborted knows, and it is nobody's failure; nor is it this one's that Galley has no memory for its answer.
  if (signal.aborted || !(error instanceof GalleyError) || error.code === 'memory_busy') return error
  const made = error.action === 'ambiguous'
  if (error.code === 'answer_too_big')
    return new GenerationError({
      reason: 'INVALID_OUTPUT',
      of: 'job',
      made,
      message: `${providerLabel(access)} answered with more than Galley reads, so it stopped reading.`,
      cause: error,
    })
  const settings = error.action === 'owner' ? ` Galley’s operator can correct ${access.settings.url}.` : ''
  return new GenerationError({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'provider',
    made,
    message: `${providerLabel(access)} cannot be asked. ${error.message}${settings}`,
    ...(error.action === 'owner' ? { action: 'owner' as const } : {}),
    cause: error,
  })
}

/** A login page, a parked domain, a front end: whatever it is, it is not the API. */
const isWebPage = (contentType: string, body: Buffer): boolean =>
  /^\s*text\/html/i.test(contentType) || /^\s*<(!doctype html|html)/i.test(body.toString('latin1', 0, 200))

const webPageError = (access: ProviderAccess): GenerationError =>
  new GenerationError({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'provider',
    action: 'owner',
    message: `${providerLabel(access)} answered with a web page, so its address is not that of an API. Galley’s operator can correct ${access.settings.url}; many such addresses end in /v1.`,
  })

/** An answer that says it went well and cannot be read as one of this API. It may have been charged for. */
export const unreadableAnswer = (
  access: Pick<ProviderAccess, 'name' | 'model'>,
  why: string,
): GenerationError =>
  new GenerationError({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'provider',
    made: true,
    message: `${providerLabel(access)} answered with what is not an answer of its API: ${why}.`,
  })

/** The first entries of a list. What nobody reads is not looked at: a wrong entry costs as much as a right one, or more. */
export const firstEntries = <Entry extends z.ZodType>(most: number, entry: Entry) =>
  z.preprocess((list) => (Array.isArray(list) ? list.slice(0, most) : list), z.array(entry))

/** A list of so many entries at most; a longer one is none. */
export const boundedArray = <Entry extends z.ZodType>(most: number, entry: Entry) =>
  z.preprocess((list) => (Array.isArray(list) && list.length > most ? null : list), z.array(entry))

/** Values in an answer that is a file in base64, and little beside it. */
const MAX_JSON_VALUES = 10_000

/**
 * Parses JSON that holds a file; undefined where it is no JSON or has too many values: 28 MiB of
 * them take seconds and all memory.
 */
export function parseJsonWithFile(body: string): unknown {
  let left = MAX_JSON_VALUES
  for (const mark of ['[', '{', ','])
    for (let at = body.indexOf(mark); at !== -1; at = body.indexOf(mark, at + 1)) {
      left -= 1
      if (left === 0) return undefined
    }
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** More of anything than one call uses. */
const MAX_PLAUSIBLE_COUNT = 50_000_000

/** A count as a provider claims it; undefined where it is none: negative, a text, a fraction, absurd. */
const plausibleCount = (claimed: unknown): number | undefined =>
  typeof claimed === 'number' &&
  Number.isSafeInteger(claimed) &&
  claimed >= 0 &&
  claimed <= MAX_PLAUSIBLE_COUNT
    ? claimed
    : undefined

/** What was used, by name; a count that is none is left out. Undefined where nothing is left. */
export function normaliseUsage(claimed: Record<string, unknown>): Record<string, number> | undefined {
  const counts = Object.entries(claimed).flatMap(([name, value]) => {
    const known = plausibleCount(value)
    return known === undefined ? [] : [[name, known] as const]
  })
  return counts.length === 0 ? undefined : Object.fromEntries(counts)
}

/** Which price is for which count, and for how many of them. */
const unitPrices = {
  input_tokens: ['input', 1_000_000],
  output_tokens: ['output', 1_000_000],
  images: ['image', 1],
  characters: ['characters', 1_000_000],
} as const

/** What that cost in millionths, rounded up; undefined where no price is for it. */
function estimateCostMicros(
  usage: Record<string, number> | undefined,
  { prices }: ModelSettings,
): number | undefined {
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

interface UnpricedAnswer extends Pick<RawAnswer, 'body' | 'contentType'> {
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
  return {
    provider: name,
    model,
    ...answer,
    ...(usage === undefined ? {} : { usage }),
    ...(costMicros === undefined ? {} : { costMicros }),
  }
}
