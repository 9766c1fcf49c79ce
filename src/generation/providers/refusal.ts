import { parseRetryAfter } from '../../retry-after.ts'
import { GenerationError } from '../failure.ts'
import { type Access, called } from './access.ts'
import { type ProviderFailure, readProviderFailure } from './failure-answer.ts'
import { withoutProviderSecrets } from './keep-secret.ts'

/** An answer that is none. */
export interface Refused {
  status: number
  headers: Record<string, string>
  body: string
}

type Who = Pick<Access, 'name' | 'model' | 'key' | 'settings'>

interface Facts {
  who: string
  /** `: "…"`, or nothing. */
  said: string
  settings: Access['settings']
}

interface Meaning {
  when: (status: number, said: ProviderFailure) => boolean
  reason: GenerationError['reason']
  of: GenerationError['of']
  /** Only who runs Galley can end it. */
  owner?: true
  /** A gateway that lost the one behind it does not know what that one did. */
  made?: true
  tell: (facts: Facts) => string
}

const moderated =
  /content_?filter|content_?policy|moderation|responsibleai|data_inspection|prohibited_content|flagged|image_safety|^safety/
const moderatedInWords = /content (management )?policy|safety system|moderation|flagged|content filter/i
const outOfCredit = /insufficient_(quota|credits|balance)|billing|payment_required|credit_balance/
/** 402, and what Tavily says where a plan or a month is used up. */
const outOfPlan = [402, 432, 433]
const unknownModel = /model_not_found|invalid_model|unknown_model|model_not_supported/

/** What an answer that is none means, the first that fits. */
const meanings: Meaning[] = [
  {
    when: (status, { codes, message }) =>
      [400, 403, 422, 451].includes(status) &&
      (moderated.test(codes) || (moderatedInWords.test(message) && !/key|permission/i.test(message))),
    reason: 'CONTENT_MODERATION',
    of: 'job',
    tell: ({ who, said }) =>
      `The moderation of ${who} declined this request${said}. Change what is asked for.`,
  },
  {
    when: (status, { codes }) => outOfPlan.includes(status) || outOfCredit.test(codes),
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
export function refusal(access: Who, { status, headers, body }: Refused): GenerationError {
  const said = readProviderFailure(body)
  const words = withoutProviderSecrets(said.message, access)
  // The last fits everything.
  const meaning = meanings.find(({ when }) => when(status, said)) as Meaning
  const facts = {
    who: called(access),
    said: ` (${status}${words === '' ? '' : `: “${words}”`})`,
    settings: access.settings,
  }
  return new GenerationError({
    reason: meaning.reason,
    of: meaning.of,
    made: meaning.made ?? false,
    message: meaning.tell(facts),
    retryAfterMs: meaning.of === 'provider' ? pauseOf(headers, said) : undefined,
    ...(meaning.owner ? { action: 'owner' as const } : {}),
    details: { status, codes: withoutProviderSecrets(said.codes, access) },
  })
}

/** What the headers, or else the body, ask for. */
function pauseOf(headers: Record<string, string>, said: ProviderFailure): number | undefined {
  const inMs = Number(headers['retry-after-ms'] || Number.NaN)
  const asked = Number.isNaN(inMs)
    ? (headers['retry-after'] ??
      (said.retryAfterMs === undefined ? undefined : String(said.retryAfterMs / 1000)))
    : String(inMs / 1000)
  return parseRetryAfter(asked, Date.now())
}
