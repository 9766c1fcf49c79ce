import { z } from 'zod'
import { type Action, GalleyError, parseRetryAfter } from '../../errors.ts'
import { isSafeMethod } from '../../outbound/failures.ts'
import { idSchema, truncateLine } from '../fields.ts'
import { type FailureCode, wordPressFailures } from './catalogue.ts'
import {
  type Classification,
  type ErrorPage,
  htmlToText,
  MAINTENANCE_WORDS,
  NOT_AUTHORIZED_WORDS,
  PUBLISHING_WORDS,
  parseErrorPage,
  recognisePage,
} from './error-pages.ts'
import { refuserOf } from './firewalls.ts'
import {
  failureForCode,
  foreignErrorMessage,
  parseRestError,
  type RestError,
  sentErrorMessage,
} from './rest-errors.ts'
import type { FailureContext, FailureDefinition, FailureFacts, RawAnswer, RequestSubject } from './types.ts'

/** Names the failure of an answer: a REST error by its code, others by shape, and by status only where neither says enough. */
export function classifyFailure(received: RawAnswer, json: unknown, context: FailureContext): GalleyError {
  const reported = parseRestError(json)
  const answer = { ...received, status: statusOf(received, reported) }
  const said = reported ?? errorSent(json, answer)
  const inPlace = [401, 403].includes(answer.status) ? foreignErrorMessage(json) : undefined
  const { code, facts }: Classification =
    inPlace === undefined
      ? classifyAnswer(answer, json, said, context)
      : { code: 'rest_api_disabled', facts: { said: htmlToText(inPlace) } }
  return wordPressFailure(code, context, { ...factsOf(answer, said), ...facts }, answer, said)
}

/** Where something was printed before the headers, errors come with HTTP 200, and say which was meant. */
const statusOf = ({ status }: RawAnswer, said: RestError | undefined): number =>
  status < 300 ? (said?.data?.status ?? status) : status

export function wordPressFailure(
  code: FailureCode,
  { site, method, doing }: Pick<FailureContext, 'site' | 'method' | 'doing'>,
  raw: Partial<FailureFacts>,
  answer?: RawAnswer,
  wordpress?: RestError,
): GalleyError {
  const facts = quotable(raw)
  const { fault, action, effect, happened: tell, todo }: FailureDefinition = wordPressFailures[code]
  const decided: Action = effect === 'unknown' && !isSafeMethod(method) ? 'ambiguous' : action
  const status = answer?.status ?? 0
  const happened = tell({ site, doing, status, ...facts })
  const retryAfterMs = parseRetryAfter(answer?.headers['retry-after'], Date.now())
  return new GalleyError({
    code,
    message: `${happened} ${todo}`,
    fault,
    action: decided,
    httpStatus: 502,
    details: {
      happened,
      todo,
      site,
      status,
      wordpress,
      reference: facts.reference,
      attachmentId: attachment.parse(answer?.headers['x-wp-upload-attachment-id']),
    },
    retryAfterMs,
  })
}

/** With 401 or 403 it may as well be a firewall's, which judges requests and not posts. */
function errorSent(json: unknown, { status }: RawAnswer): RestError | undefined {
  const message = status === 401 || status === 403 ? undefined : sentErrorMessage(json)
  return message === undefined ? undefined : { code: 'wp_send_json_error', message }
}

const attachment = z.coerce.number().pipe(idSchema).optional().catch(undefined)

/** Of what a site said, in a sentence of ours. */
const LONGEST_QUOTE = 500

/** Facts that came from the site, as one line that can be stored and read. */
const quotable = (facts: Partial<FailureFacts>): Partial<FailureFacts> =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      typeof value === 'string' ? truncateLine(value, LONGEST_QUOTE) : value,
    ]),
  )

function classifyAnswer(
  answer: RawAnswer,
  json: unknown,
  said: RestError | undefined,
  context: FailureContext,
): Classification {
  const { status, headers } = answer
  const page = parseErrorPage(answer)
  if (status === 429) {
    const recognised = recognisePage(page)
    return recognised?.code.endsWith('_challenge') ? recognised : { code: 'rate_limited' }
  }
  if (said) {
    const value = refusedValue(said, json, context.data)
    if (value !== undefined) return { code: 'value_refused', facts: { found: value } }
    const setting = refusedSetting(said)
    if (setting !== undefined) return { code: 'setting_refused', facts: { setting } }
    const code =
      refusedParameter(said, context.subject) ??
      closedForMaintenance(said, status) ??
      loginLockout(said, status) ??
      beyondLimit(said) ??
      failureForCode(said.code, status, context.subject) ??
      refusedVisitor(said, status) ??
      refusedPublishing(said, context)
    if (code) return { code }
  }
  const recognised = recognisePage(page)
  if (recognised) return recognised
  if (status >= 300 && status < 400) {
    // What a creation answers beside 201; some servers make a redirect of that, and the thing is there.
    if (!isSafeMethod(context.method) && SINGLE_ITEM_PATH.test(headers.location ?? ''))
      return { code: 'answer_unreadable', facts: { found: `it leads to ${headers.location}` } }
    if (LOGIN_ADDRESS.test(headers.location ?? ''))
      return { code: 'login_wall', facts: { found: 'a redirect to the login of WordPress' } }
    return { code: 'redirected', facts: headers.location ? { found: withoutQuery(headers.location) } : {} }
  }
  return said ? byStatusOfError(status) : withQuotedWords(byStatusOfPage(page), json)
}

const withQuotedWords = ({ code, facts }: Classification, json: unknown): Classification => {
  const said = sentErrorMessage(json)
  return { code, facts: { ...facts, ...(said !== undefined && { said: htmlToText(said) }) } }
}

/** Where WordPress leads visitors who are to log in first (`wp_login_url`). */
const LOGIN_ADDRESS = /\/wp-login\.php|[?&]redirect_to=/

/** What Galley asked with is of no use to whoever reads where it is led. */
const withoutQuery = (address: string): string =>
  address.includes('rest_route=') ? address : (address.split('?', 1)[0] ?? '')

/** As plugins that count logins answer whoever comes from an address that they have locked (Limit Login Attempts). */
const loginLockout = ({ code, message }: RestError, status: number): FailureCode | undefined =>
  [401, 403, 503].includes(status) &&
  /too[ _]many[ _](failed |unsuccessful |invalid )?(login )?(attempts|retries)|lock(ed)?[ _-]?out/i.test(
    `${code} ${message}`,
  )
    ? 'locked_out'
    : undefined

/** What the site's tables cannot hold, such as a character of four bytes in `utf8mb3`: refused again each time. */
function refusedValue({ code }: RestError, json: unknown, sent: unknown): string | undefined {
  if (!DATABASE_REFUSALS.has(code)) return undefined
  const { data, additional_data } = databaseErrorSchema.parse(json)
  const reason = `${data} ${additional_data.join(' ')}`
  if (DATABASE_OUTAGE.test(reason)) return undefined
  const text = JSON.stringify(sent) ?? ''
  const isInvalid = /Processing the value|Incorrect string value|Data too long/i.test(reason)
  const [character] = /[\u{10000}-\u{10ffff}]/u.exec(text) ?? ((isInvalid && /[^\0-\xff]/u.exec(text)) || [])
  if (character === undefined) return isInvalid ? 'a value' : undefined
  const point = character.codePointAt(0)?.toString(16).toUpperCase()
  return `the character “${character}” (U+${point?.padStart(4, '0')})`
}

const DATABASE_REFUSALS: ReadonlySet<string> = new Set([
  'db_insert_error',
  'db_update_error',
  'rest_meta_database_error',
])

/** What MySQL says, in English always, of trouble that is no value's. */
const DATABASE_OUTAGE =
  /is full|disk|no space|gone away|lost connection|deadlock|lock wait|crashed|read.only|command denied|errno/i

const databaseErrorSchema = z
  .object({ data: z.string().catch(''), additional_data: z.array(z.string()).catch([]) })
  .catch({ data: '', additional_data: [] })

const SINGLE_ITEM_PATH = /\/wp\/v2\/[\w-]{1,100}\/\d{1,20}$/

/** PHP's limit of one file, which WordPress names in every language; beside that of a form it is about an empty file. */
const beyondLimit = ({ code, message }: RestError): FailureCode | undefined =>
  code === 'rest_upload_unknown_error' &&
  message.includes('upload_max_filesize') &&
  !message.includes('post_max_size')
    ? 'upload_too_big'
    : undefined

/** A plugin's maintenance; core's own comes by `wp_die`. */
const closedForMaintenance = ({ code, message }: RestError, status: number): FailureCode | undefined =>
  status === 503 && code !== 'wp_die' && MAINTENANCE_WORDS.test(`${code} ${message}`)
    ? 'maintenance_page'
    : undefined

/** A visitor who asks for other statuses is told of an invalid parameter (`sanitize_post_statuses`). */
function refusedParameter({ code, data }: RestError, subject: RequestSubject): FailureCode | undefined {
  if (code !== 'rest_invalid_param') return undefined
  return Object.values(data?.details ?? {})
    .flatMap(({ code: behind, data: { status } = { status: 0 } }) =>
      status === 401 || status === 403 ? [failureForCode(behind, status, subject)] : [],
    )
    .find((meaning) => meaning !== undefined)
}

/** Author and language come from the site's settings: a user who was removed, a language that is gone. */
function refusedSetting({ code, data }: RestError): FailureFacts['setting'] {
  if (code === 'rest_invalid_author') return 'author'
  return code === 'rest_invalid_param' && data?.params?.lang !== undefined ? 'language' : undefined
}

/** A REST error with a code nobody knows: a plugin's. */
function byStatusOfError(status: number): Classification {
  if (status === 401) return { code: 'not_logged_in' }
  if (status === 403) return { code: 'rights_missing' }
  return { code: status >= 500 ? 'site_error' : 'request_refused' }
}

/** All In One Security ends a request with `wp_die` (HTTP 500) while nobody has signed in yet. */
function refusedVisitor({ code, message }: RestError, status: number): FailureCode | undefined {
  if (code !== 'wp_die') return undefined
  if (/not (authori[sz]ed|logged in)|unauthori[sz]ed/i.test(message)) return 'visitors_refused'
  if (status >= 500 && NOT_AUTHORIZED_WORDS.test(message)) return 'visitors_refused'
  return /not (allowed|permitted)/i.test(message) ? 'rights_missing' : undefined
}

/** Require Featured Image ends a request so as well: the post is refused, and the site works. */
const refusedPublishing = ({ code, message }: RestError, { subject }: FailureContext) =>
  code === 'wp_die' && subject === 'post' && PUBLISHING_WORDS.test(message)
    ? ('request_refused' as const)
    : undefined

function byStatusOfPage(page: ErrorPage): Classification {
  const { status, title, headers } = page
  const facts = title === '' ? {} : { found: title }
  if (status === 502 || status === 504) return { code: 'gateway_error', facts }
  if (status === 413) return { code: 'upload_too_big', facts: { said: 'HTTP 413' } }
  if (status === 404 || status === 410) return { code: 'not_found', facts }
  if (status >= 500) return { code: 'site_error', facts: title === '' ? {} : { said: title } }
  if (status < 400) return { code: 'answer_unreadable', facts }
  // Cloudflare names itself in the answers of others too.
  const sender = headers.server ? `${headers['cf-ray'] ? 'through' : 'sent by'} ${headers.server}` : ''
  const found = [title === '' ? '' : `a page called “${title}”`, sender].filter(Boolean).join(', ')
  return { code: 'firewall_blocked', facts: { ...(found && { found }), ...refuserOf(page) } }
}

const factsOf = ({ headers }: RawAnswer, said: RestError | undefined): Partial<FailureFacts> => ({
  ...(said ? { said: htmlToText(said.message) } : {}),
  ...(headers['retry-after'] ? { found: `Retry-After: ${headers['retry-after']}` } : {}),
})

const failureTextSchema = z.object({ happened: z.string(), todo: z.string() })

/** The two halves of a failure's message: what happened, and what to do about it. */
export function failureTextOf({ message, details }: GalleyError): { happened: string; todo: string } {
  const read = failureTextSchema.safeParse(details)
  return read.success ? read.data : { happened: message, todo: '' }
}

const saidSchema = z.object({ wordpress: z.object({ message: z.string().min(1) }) })

/** What WordPress, or a plugin there, said of a refusal, as one line; undefined where it said nothing. */
export function wordPressMessage({ details }: GalleyError): string | undefined {
  const message = saidSchema.safeParse(details).data?.wordpress.message
  return message === undefined ? undefined : truncateLine(htmlToText(message), LONGEST_QUOTE)
}
