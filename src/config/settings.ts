import '../contract/issues.ts'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { DEFAULT_BYTES_IN_FLIGHT } from '../bytes/budget.ts'
import { closestName } from '../contract/issues.ts'
import { parsePrices } from '../generation/api/prices.ts'
import { providerKey, providerUrl } from '../generation/providers/settings/schema.ts'
import { withoutTrailingSlash } from '../lib/text.ts'
import { parseMailSender, parseSmtpUrl } from '../notifications/mail/settings.ts'
import { parseAllowedDestination } from '../outbound/destination-policy.ts'
import { isApiKey, parseSecretKeys } from '../secrets/keyring.ts'

export interface Address {
  host: string
  /** 0 lets the system choose. */
  port: number
}

const EXPECTED_ADDRESS = 'must be a port, or host:port such as 127.0.0.1:9090'

/** `9090`, `127.0.0.1:9090` or `[::1]:9090`; a port alone is of this machine. */
const addressSchema = z
  .string()
  .max(260, EXPECTED_ADDRESS)
  .transform((text, context): Address => {
    const split = text.lastIndexOf(':')
    const [host, port] = split < 0 ? ['127.0.0.1', text] : [text.slice(0, split), text.slice(split + 1)]
    if (/^([\w.-]+|\[[\da-f:.]+\])$/i.test(host) && /^\d{1,5}$/.test(port) && Number(port) <= 65_535)
      return { host: host.startsWith('[') ? host.slice(1, -1) : host, port: Number(port) }
    context.addIssue({ code: 'custom', message: EXPECTED_ADDRESS })
    return z.NEVER
  })

// Read before anything is started: what the rooms named here load beside these files is loaded while PostgreSQL starts.

const wholeNumber = (range: string, least = 0, most = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be ${range}`)
    .transform(Number)
    .refine((number) => number >= least && number <= most, `must be ${range}`)

/** What another room makes of a text: what that room says of a mistake becomes the mistake here. */
const parsedBy = <Value>(wanted: string, parse: (text: string) => Value) =>
  z.string().transform((text, context): Value => {
    try {
      return parse(text)
    } catch (cause) {
      context.addIssue({ code: 'custom', message: `${wanted}: ${(cause as Error).message}` })
      return z.NEVER
    }
  })

const secretKeys = parsedBy('must be keys', (text) => {
  parseSecretKeys(text, 'the list')
  return text
})

const listOf = (text: string): string[] => text.split(',').map((entry) => entry.trim())

/** In the shape the outbound guard takes. */
const privateTargets = parsedBy(
  'must be all, or a comma list such as 10.0.0.0/8,wordpress.internal:8080',
  (text): 'all' | string[] => {
    if (text === 'all' || text === 'true') return 'all'
    const targets = listOf(text)
    targets.forEach(parseAllowedDestination)
    return targets
  },
)

const onOrOff = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true')

const trustedProxies = parsedBy(
  'must be a comma list of addresses and CIDR ranges, such as 10.0.0.1,192.168.0.0/16',
  (text) => {
    const entries = listOf(text)
    for (const entry of entries) {
      const [address = '', bits, ...more] = entry.split('/')
      const most = isIP(address) === 4 ? 32 : 128
      if (isIP(address) === 0 || more.length > 0)
        throw new Error(`${entry} is neither an address nor a range`)
      if (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most))
        throw new Error(`${entry} needs a length from 1 to ${most} behind its /`)
    }
    return entries
  },
)

const prices = parsedBy('must be a comma list such as text=1,image=2', parsePrices)

const smtpUrl = parsedBy('must be such as smtp://user:password@mail.example.com:587', parseSmtpUrl)

const sender = parsedBy('must be such as Galley <galley@example.com>', parseMailSender)

/** The environment, by which each setting is read. */
export const environmentSchema = z.object({
  GALLEY_DATA_DIR: z
    .string()
    .default('./.galley')
    .transform((path) => resolve(path)),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgresql://')
    .refine(
      URL.canParse,
      'must be an address such as postgresql://user:password@host:5432/name; write @ / : # % of a password as %40 %2F %3A %23 %25',
    )
    .optional(),
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber('a port number from 0 to 65535', 0, 65_535).default(8080),
  PUBLIC_URL: z
    .url({
      protocol: /^https?$/,
      error: 'must be the full address others reach Galley at, such as https://galley.example.com',
    })
    .regex(
      /^[^?#@]*$/,
      'must have no ?, # or @: the addresses of webhooks begin with it, and sites are told it',
    )
    .transform(withoutTrailingSlash)
    .optional(),
  GALLEY_SECRET_KEYS: secretKeys.optional(),
  GALLEY_ADMIN_KEY: z
    .string()
    .refine(isApiKey, 'must be gly_sk_ followed by 48 lower-case hexadecimal characters')
    .optional(),
  GALLEY_ALLOW_PRIVATE: privateTargets.default([]),
  GALLEY_ROLE: z.enum(['all', 'web', 'worker'], 'must be all, web or worker').default('all'),
  LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be trace, debug, info, warn, error, fatal or silent',
    )
    .default('info'),
  GALLEY_MAX_WEBHOOK_BYTES: wholeNumber('a number of bytes, at least 1024', 1024).default(10 * 1024 * 1024),
  GALLEY_BYTES_IN_FLIGHT: wholeNumber(
    'a number of bytes, at least 67108864 (64 MiB)',
    64 * 1024 * 1024,
  ).default(DEFAULT_BYTES_IN_FLIGHT),
  GALLEY_REQUESTS_PER_MINUTE: wholeNumber('a whole number; 0 means no limit').default(1200),
  GALLEY_RETENTION_DAYS: wholeNumber(
    'a whole number of days, at most 36500; 0 means for ever',
    0,
    36_500,
  ).default(90),
  GALLEY_FILE_DAYS: wholeNumber('a whole number of days, at most 36500; 0 means for ever', 0, 36_500).default(
    30,
  ),
  GALLEY_S3_BUCKET: z
    .string()
    .regex(/^[\w.-]{3,63}$/, 'must be the name of a bucket: 3 to 63 letters, digits, dots and hyphens')
    .optional(),
  GALLEY_S3_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address, such as https://s3.example.com' })
    .transform(withoutTrailingSlash)
    .optional(),
  GALLEY_S3_REGION: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be the name of a region, such as eu-central-1')
    .default('us-east-1'),
  GALLEY_S3_ACCESS_KEY: z.string().optional(),
  GALLEY_S3_SECRET_KEY: z.string().optional(),
  GALLEY_S3_PREFIX: z
    .string()
    .regex(/^[\w./-]{1,200}$/, 'must be letters, digits and ./-, such as galley/')
    .default(''),
  GALLEY_TRUSTED_PROXIES: trustedProxies.default([]),
  GALLEY_MAX_CONNECTIONS: wholeNumber('a whole number from 1 to 100000', 1, 100_000).default(1000),
  GALLEY_METRICS_ADDRESS: addressSchema.optional(),
  GALLEY_METRICS_OPEN: onOrOff.default(false),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address, such as http://127.0.0.1:4318' })
    .transform(withoutTrailingSlash)
    .optional(),
  GALLEY_SMTP_URL: smtpUrl.optional(),
  GALLEY_SMTP_TLS: z.enum(['required', 'off'], 'must be required or off').default('required'),
  GALLEY_MAIL_FROM: sender.optional(),
  GALLEY_PRICES: prices.prefault(''),
  GALLEY_JOB_CALLS: wholeNumber('a whole number from 1 to 100000', 1, 100_000).default(500),
  GALLEY_JOB_MICROS: wholeNumber('a whole number of millionths, at least 1', 1).default(10_000_000),
  GALLEY_AI_URL: providerUrl.transform(withoutTrailingSlash).optional(),
  GALLEY_AI_KEY: providerKey.optional(),
  GALLEY_AI_MODEL: z.string().trim().max(200, 'must have at most 200 characters').optional(),
  GALLEY_PROVIDERS: z
    .string()
    .transform((path) => resolve(path))
    .optional(),
})

/** Names of all settings, in the order of `.env.example`. */
export const settingNames = Object.keys(environmentSchema.shape)

/** Variables of the other programs of this repository, and of the commands that speak to a Galley. */
const OTHER_PROGRAMS = /^GALLEY_(DEMO|TEST|FAULTS|BENCH|HOSTILE|URL$|KEY$|SITE_PASSWORD$)/

const isUnknownSetting = (name: string): boolean =>
  /^GALLEY_/i.test(name) && !settingNames.includes(name) && !OTHER_PROGRAMS.test(name)

/** What a name says beside `GALLEY_`, which some settings have and others have not. */
const withoutPrefix = (name: string): string => name.replace(/^GALLEY_/i, '')

/** The setting that a `GALLEY_…` nearly is, `GALLEY_PORT` and `GALLEY_SECRET_KEY` among them; undefined for any other. */
export function closestSetting(name: string): string | undefined {
  if (!isUnknownSetting(name)) return undefined
  const meant = closestName(withoutPrefix(name), settingNames.map(withoutPrefix))
  return settingNames.find((other) => withoutPrefix(other) === meant)
}

/** The `GALLEY_…` that no setting is, nor nearly is: another version's, perhaps. */
export const unknownSettings = (variables: object): string[] =>
  Object.keys(variables).filter((name) => isUnknownSetting(name) && closestSetting(name) === undefined)
