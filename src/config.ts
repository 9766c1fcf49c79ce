import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { type Address, addressSchema } from './address.ts'
import { DEFAULT_BYTES_IN_FLIGHT, uses } from './bytes/index.ts'
import './contract/wording.ts'
import { GalleyError } from './errors.ts'
import { settingMeantBy } from './misspelled.ts'
import { parseEntry } from './outbound/index.ts'
import { isApiKey } from './secrets/index.ts'
import { parseKeys } from './secrets/keys.ts'
import { withoutSlash } from './text.ts'

/** Settings as Galley works with them; `.env.example` describes each for whoever sets it. */
export interface Config {
  /** Absolute path. */
  dataDir: string
  /** Undefined: the embedded PostgreSQL. */
  databaseUrl: string | undefined
  host: string
  /** 0 lets the system choose. */
  port: number
  /** Where others reach Galley, without a trailing slash. */
  publicUrl: string
  /** Undefined: made and kept in the data folder. */
  secretKeys: string | undefined
  /** The first key, where it is given instead of printed once. */
  adminKey: string | undefined
  /** Private targets that outbound requests may reach: all, or these CIDR ranges, hosts and `host:port`s. */
  allowPrivate: 'all' | string[]
  role: 'all' | 'web' | 'worker'
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
  /** Bytes. */
  maxWebhookBytes: number
  /** Bytes of webhooks, documents, files and answers that this process holds at most. */
  bytesInFlight: number
  /** Requests a minute of one account and one process; 0 for no limit. */
  requestsPerMinute: number
  /** Days that the bodies of events and the timelines of deliveries are kept; 0 for ever. */
  retentionDays: number
  /** Addresses and CIDR ranges of the reverse proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: string[]
  /** Connections that may be open at once to the API and the webhooks. */
  maxConnections: number
  /** Where health and metrics are served beside the API, without a key; undefined for nowhere. */
  metricsAddress: Address | undefined
  /** Whether `/metrics` of the API answers without a key. */
  metricsOpen: boolean
}

interface Mistake {
  path: string
  message: string
}

const wholeNumber = (range: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be ${range}`)
    .transform(Number)

/** A text that another room reads: what that room says of a mistake becomes the mistake here. */
const readable = (wanted: string, read: (text: string) => unknown) =>
  z.string().superRefine((text, context) => {
    try {
      read(text)
    } catch (cause) {
      context.addIssue({ code: 'custom', message: `${wanted}: ${(cause as Error).message}` })
    }
  })

const secretKeys = readable('must be keys', (text) => parseKeys(text, 'the list'))

const listOf = (text: string): string[] => text.split(',').map((entry) => entry.trim())

/** What `GALLEY_ALLOW_PRIVATE` says, in the shape the outbound guard takes. */
const allowPrivate = (text: string): Config['allowPrivate'] =>
  text === 'all' || text === 'true' ? 'all' : listOf(text)

const privateTargets = readable(
  'must be all, or a comma list such as 10.0.0.0/8,wordpress.internal:8080',
  (text) => {
    const targets = allowPrivate(text)
    if (targets !== 'all') targets.forEach(parseEntry)
  },
).transform(allowPrivate)

const onOrOff = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true')

const trustedProxies = readable(
  'must be a comma list of addresses and CIDR ranges, such as 10.0.0.1,192.168.0.0/16',
  (text) => {
    for (const entry of listOf(text)) {
      const [address = '', bits, ...more] = entry.split('/')
      const most = isIP(address) === 4 ? 32 : 128
      if (isIP(address) === 0 || more.length > 0)
        throw new Error(`${entry} is neither an address nor a range`)
      if (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most))
        throw new Error(`${entry} needs a length from 1 to ${most} behind its /`)
    }
  },
).transform(listOf)

const environment = z.object({
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
  PORT: wholeNumber('a port number from 0 to 65535')
    .refine((port) => port <= 65_535, 'must be a port number from 0 to 65535')
    .default(8080),
  PUBLIC_URL: z
    .url({
      protocol: /^https?$/,
      error: 'must be the full address others reach Galley at, such as https://galley.example.com',
    })
    .transform(withoutSlash)
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
  GALLEY_MAX_WEBHOOK_BYTES: wholeNumber('a number of bytes, at least 1024')
    .refine((bytes) => bytes >= 1024, 'must be a number of bytes, at least 1024')
    .default(10 * 1024 * 1024),
  GALLEY_BYTES_IN_FLIGHT: wholeNumber('a number of bytes, at least 67108864 (64 MiB)')
    .refine((bytes) => bytes >= 64 * 1024 * 1024, 'must be a number of bytes, at least 67108864 (64 MiB)')
    .default(DEFAULT_BYTES_IN_FLIGHT),
  GALLEY_REQUESTS_PER_MINUTE: wholeNumber('a whole number; 0 means no limit').default(1200),
  GALLEY_RETENTION_DAYS: wholeNumber('a whole number of days, at most 36500; 0 means for ever')
    .refine((days) => days <= 36_500, 'must be a whole number of days, at most 36500; 0 means for ever')
    .default(90),
  GALLEY_TRUSTED_PROXIES: trustedProxies.default([]),
  GALLEY_MAX_CONNECTIONS: wholeNumber('a whole number from 1 to 100000')
    .refine((count) => count >= 1 && count <= 100_000, 'must be a whole number from 1 to 100000')
    .default(1000),
  GALLEY_METRICS_ADDRESS: addressSchema.optional(),
  GALLEY_METRICS_OPEN: onOrOff.default(false),
})

/** Names of all settings, in the order of `.env.example`. */
export const settingNames = Object.keys(environment.shape)

/** What is nearly a setting: what was wanted would not be done, so it is a mistake and no warning. */
const misspelled = (given: Record<string, string | undefined>): Mistake[] =>
  Object.keys(given).flatMap((path) => {
    const meant = settingMeantBy(path, settingNames)
    return meant === undefined ? [] : [{ path, message: `is not a setting; did you mean ${meant}?` }]
  })

/** What is wrong only in the light of another setting. */
function mistakesTogether(
  given: Record<string, string | undefined>,
  settings: z.output<typeof environment> | undefined,
): Mistake[] {
  const { DATABASE_URL, GALLEY_ROLE, GALLEY_SECRET_KEYS } = given
  const mistakes: Mistake[] = []
  if (DATABASE_URL === undefined && (GALLEY_ROLE === 'web' || GALLEY_ROLE === 'worker'))
    mistakes.push({
      path: 'GALLEY_ROLE',
      message: `${GALLEY_ROLE} needs DATABASE_URL: the embedded database serves one process, so no other process could do the other half of the work`,
    })
  if (DATABASE_URL !== undefined && GALLEY_SECRET_KEYS === undefined)
    mistakes.push({
      path: 'GALLEY_SECRET_KEYS',
      message:
        'is required with DATABASE_URL, alike for every process on that database: it encrypts the passwords of sites. Create one with: echo "$(date +%F):$(openssl rand -base64 32)"',
    })
  if (settings && settings.GALLEY_MAX_WEBHOOK_BYTES > settings.GALLEY_BYTES_IN_FLIGHT * uses.webhooks)
    mistakes.push({
      path: 'GALLEY_BYTES_IN_FLIGHT',
      message: `must be at least ${settings.GALLEY_MAX_WEBHOOK_BYTES / uses.webhooks}, since a quarter of it is for webhooks and GALLEY_MAX_WEBHOOK_BYTES lets one have ${settings.GALLEY_MAX_WEBHOOK_BYTES} bytes`,
    })
  return mistakes
}

/**
 * Reads the settings from environment variables; an empty one counts as not set.
 *
 * @throws GalleyError `bad_settings`, naming every mistake at once. Values are not repeated, they may be secrets.
 */
export function loadConfig(variables: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim()))
  const { data: settings, error } = environment.safeParse(given)
  const mistakes = (error?.issues ?? []).map(({ path, message }) => ({ path: path.join('.'), message }))
  mistakes.push(...mistakesTogether(given, settings), ...misspelled(given))
  if (!settings || mistakes.length > 0) throw badSettings(mistakes)
  const host = ['0.0.0.0', '::'].includes(settings.HOST) ? 'localhost' : settings.HOST
  return {
    dataDir: settings.GALLEY_DATA_DIR,
    databaseUrl: settings.DATABASE_URL,
    host: settings.HOST,
    port: settings.PORT,
    publicUrl: settings.PUBLIC_URL ?? `http://${host.includes(':') ? `[${host}]` : host}:${settings.PORT}`,
    secretKeys: settings.GALLEY_SECRET_KEYS,
    adminKey: settings.GALLEY_ADMIN_KEY,
    allowPrivate: settings.GALLEY_ALLOW_PRIVATE,
    role: settings.GALLEY_ROLE,
    logLevel: settings.LOG_LEVEL,
    maxWebhookBytes: settings.GALLEY_MAX_WEBHOOK_BYTES,
    bytesInFlight: settings.GALLEY_BYTES_IN_FLIGHT,
    requestsPerMinute: settings.GALLEY_REQUESTS_PER_MINUTE,
    retentionDays: settings.GALLEY_RETENTION_DAYS,
    trustedProxies: settings.GALLEY_TRUSTED_PROXIES,
    maxConnections: settings.GALLEY_MAX_CONNECTIONS,
    metricsAddress: settings.GALLEY_METRICS_ADDRESS,
    metricsOpen: settings.GALLEY_METRICS_OPEN,
  }
}

function badSettings(mistakes: Mistake[]): GalleyError {
  const lines = mistakes.map(
    ({ path, message }) => `  ${path}: ${message}${message.endsWith('?') ? '' : '.'}`,
  )
  return new GalleyError({
    code: 'bad_settings',
    fault: 'owner',
    action: 'owner',
    message: `Galley cannot start with these settings; correct them in the environment or in .env:\n${lines.join('\n')}`,
    details: mistakes,
  })
}
