import { escapeUTF8 } from 'entities'

// Secrets are found by how they look and what they are called, never by the route: an address that no route takes may hold a
// good token. Every expression takes linear time, and removes nothing that a line of JSON needs to be one.

const REDACTED = '[redacted]'

const LONGEST_URL = 2_000

/** Longest value of a query that is written down; ids and cursors are shorter. */
const LONGEST_VALUE = 60

const SECRET_NAME =
  /pass|pwd|secret|token|key|auth|sign|state|code|nonce|credential|session|cookie|login|user/i

/** Between the parts of a path, escaped once or more often too. */
const SEPARATOR = /([/\\]|%(?:25)*(?:2f|5c))/i

/**
 * An address without the token behind `webhooks` or `connect`, values of a query that are called like secrets or are as long as
 * one, all of the query of a connect page, where WordPress puts a password, and what {@link redactSecrets} finds.
 */
export function redactTokenInUrl(url: string): string {
  const cut = url.length > LONGEST_URL ? `${url.slice(0, LONGEST_URL)}…` : url
  const at = cut.search(/[?#]/)
  const [path, rest] = at < 0 ? [cut, ''] : [cut.slice(0, at), cut.slice(at)]
  const { written, connect } = redactTokenInPath(path)
  const query = connect && rest !== '' ? `${rest[0]}${REDACTED}` : redactQueryValues(rest)
  return redactSecrets(written + query)
}

function redactTokenInPath(path: string): { written: string; connect: boolean } {
  let next = false
  let connect = false
  const parts = path.split(SEPARATOR).map((part, index) => {
    const isName = index % 2 === 0
    const name = decoded(part).toLowerCase()
    if (!isName || /^[.\s]*$/.test(name)) return part
    if (next) {
      next = false
      return REDACTED
    }
    next = /^\W*(webhooks?|connect)\W*$/.test(name)
    connect ||= /^\W*connect\W*$/.test(name)
    return part
  })
  return { written: parts.join(''), connect }
}

const redactQueryValues = (query: string): string =>
  query
    .split(/([?&;#])/)
    .map((pair) => {
      const equals = pair.indexOf('=')
      if (equals < 0) return pair
      const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)]
      return SECRET_NAME.test(decoded(name)) || value.length > LONGEST_VALUE ? `${name}=${REDACTED}` : pair
    })
    .join('')

/** Decoded as often as it was encoded, within reason; what is not encoded rightly stays. */
function decoded(text: string): string {
  let result = text
  for (let time = 0; time < 4 && result.includes('%'); time += 1)
    result = result.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  return result
}

/** Named by what is before it, as in `"password": "…"`, `token=…` and `Cookie: …`. */
const NAMED =
  /(pass(?:word|wd)|secret|api[_-]?key|authorization|cookie|token|signature|user_login)((?:\\{0,7}["'])?\s{0,4}[:=]\s{0,4})(?:(\\{0,7}["'])[^"'\\]+|([^\s"'\\,;&{}()[\]]+))/gi

/** Values that a line of JSON has without quotes. */
const BARE = /^(null|true|false|-?\d+(\.\d+)?)$/

/** What stands before a scheme's credentials in `Authorization`. */
const SCHEME = /\b(Bearer|Basic)( +)([\w+/=.~-]{6,})/gi

/** Tokens, keys and digests: hexadecimal, each character perhaps escaped. An escape of JSON is passed over whole here and below. */
const HEXADECIMAL = /\\u[0-9a-f]{4}|(?:%(?:25)*[346][0-9a-f]|[0-9a-f]){24,}/gi

/** An application password as WordPress shows it: six groups of four. */
const GROUPS = /\\u[0-9a-f]{4}|[a-z0-9]{4}(?:(?: |\+|%20)[a-z0-9]{4}){5}/gi

const IN_ADDRESS = /\/\/[^\s/?#@"'\\:]{0,100}:[^\s/?#@"'\\]{1,300}@/g

/** A text without what looks like a secret of ours or of a site, or is called one. Idempotent. */
export const redactSecrets = (text: string): string =>
  text
    .replace(/(gly_sk_|whsec_)[\w+/=%-]+/gi, `$1${REDACTED}`)
    .replace(SCHEME, (whole, scheme: string, space: string, credentials: string) =>
      /[A-Z0-9=]/.test(credentials) ? scheme + space + REDACTED : whole,
    )
    .replace(NAMED, (whole, name: string, between: string, quote: string | undefined, bare = '') =>
      between.trimEnd().endsWith(':') && BARE.test(bare) ? whole : name + between + (quote ?? '') + REDACTED,
    )
    .replace(HEXADECIMAL, (run) => (run.startsWith('\\') ? run : REDACTED))
    .replace(GROUPS, (groups) => (!groups.startsWith('\\') && /[A-Z0-9]/.test(groups) ? REDACTED : groups))
    .replace(IN_ADDRESS, `//${REDACTED}@`)

const SECRET_MEMBERS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'application_password',
  'applicationPassword',
  'signing_secret',
  'signingSecret',
  'upstream_api_key',
  'upstreamApiKey',
  'previousSigningSecret',
  'secretKeys',
  'password',
  'token',
])

/** Objects within objects that are searched; a line of the log is never that deep. */
const DEEPEST = 8

/** A value without the members that are called secrets; only plain objects and arrays are entered. */
export function redactSecretMembers<T>(value: T, deepest = DEEPEST): T {
  if (!isPlain(value)) return value
  let copy: Record<string, unknown> | undefined
  for (const [name, member] of Object.entries(value)) {
    const isHidden = SECRET_MEMBERS.has(name) || (deepest === 0 && isPlain(member))
    const clean = isHidden ? REDACTED : redactSecretMembers(member, deepest - 1)
    if (clean === member) continue
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
    copy[name] = clean
  }
  return (copy as T | undefined) ?? value
}

/** Whether something is an array, a plain object, or what pino makes of an error. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || prototype.constructor === Object || Array.isArray(value)
}

/** In the place of what HTML escapes, PHP writes a number for an apostrophe. */
const htmlEncodings = (text: string): string[] => {
  const named = escapeUTF8(text)
  return [named, named.replaceAll('&apos;', '&#039;')]
}

/** As JSON has it: plainly, as PHP writes slashes, and as Go and PHP write what HTML could take for its own. */
const jsonEncodings = (text: string): string[] => {
  const plain = JSON.stringify(text).slice(1, -1)
  const harmless = plain.replace(
    /[<>&']/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
  return [plain, plain.replaceAll('/', '\\/'), harmless]
}

const urlEncodings = (text: string): string[] => {
  const upper = encodeURIComponent(text)
  return [
    upper,
    upper.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    upper.replaceAll('%20', '+'),
  ]
}

/** A secret in every way in which an answer, error page or log repeats it, the longest first: as is, in URLs, HTML, JSON. */
export function secretEncodings(secrets: readonly string[]): string[] {
  const spelled = secrets.flatMap((text) => [
    text,
    ...urlEncodings(text),
    ...jsonEncodings(text),
    ...htmlEncodings(text),
  ])
  // What was sent may be quoted as a text of JSON that is one again.
  return [...new Set(spelled.flatMap((text) => [text, ...jsonEncodings(text)]))]
    .filter((text) => text !== '')
    .sort((a, b) => b.length - a.length)
}

/** As {@link secretEncodings} has it where nothing but the secret is sent, and in base64 too. */
const secretVariants = (secret: string): string[] =>
  secretEncodings([secret, Buffer.from(secret).toString('base64')])

/** A text without any of these. */
export const redactVariants = (text: string, echoes: readonly string[]): string =>
  echoes.reduce((rest, echo) => rest.replaceAll(echo, REDACTED), text)

/** A quoted text without the secret. A short one may be a part of words, and is removed where it is a word of its own. */
export const redactSecret = (text: string, secret: string): string =>
  secretVariants(secret).reduce(
    (rest, variant) =>
      isLongEnoughToRedact(variant) ? rest.replaceAll(variant, REDACTED) : redactWord(rest, variant),
    text,
  )

const redactWord = (text: string, word: string): string =>
  text.replaceAll(word, (_, at: number) =>
    /\w/.test(text.charAt(at - 1)) || /\w/.test(text.charAt(at + word.length)) ? word : REDACTED,
  )

/** Bytes without any of these; the same ones, where there is none. */
export const redactVariantsInBytes = (bytes: Buffer, echoes: readonly string[]): Buffer =>
  echoes.some((echo) => bytes.includes(echo))
    ? Buffer.from(redactVariants(bytes.toString('utf8'), echoes))
    : bytes

/** So short a word may stand in a text by itself. */
export const isLongEnoughToRedact = ({ length }: string): boolean => length >= 8
