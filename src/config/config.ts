import type { z } from 'zod'
import { byteUses } from '../bytes/budget.ts'
import { GalleyError } from '../errors.ts'
import { readProviderSettings } from '../generation/providers/settings/read.ts'
import type { ProviderSettings, SettingIssue } from '../generation/providers/settings/schema.ts'
import type { S3Settings } from '../generation/storage/blobs.ts'
import { isLoopback, type MailSettings } from '../notifications/mail/settings.ts'
import { closestSetting, environmentSchema } from './settings.ts'

/** Settings as Galley works with them; `.env.example` describes each for whoever sets it. */
export type Config = ReturnType<typeof toConfig>

/** What is nearly a setting: what was wanted would not be done, so it is a mistake and no warning. */
const misspelledSettings = (given: Record<string, string | undefined>): SettingIssue[] =>
  Object.keys(given).flatMap((path) => {
    const meant = closestSetting(path)
    return meant === undefined ? [] : [{ path, message: `is not a setting; did you mean ${meant}?` }]
  })

/** Settings that mean nothing one without the other. */
const PAIRS = [
  ['GALLEY_S3_ACCESS_KEY', 'GALLEY_S3_SECRET_KEY', 'an access key and its secret belong together'],
  ['GALLEY_SMTP_URL', 'GALLEY_MAIL_FROM', 'mail needs a server, and an address that it is from'],
] as const

function conflictingSettings(
  given: Record<string, string | undefined>,
  settings: z.output<typeof environmentSchema> | undefined,
): SettingIssue[] {
  const mistakes: SettingIssue[] = []
  const refuse = (path: string, message: string) => mistakes.push({ path, message })
  const { DATABASE_URL, GALLEY_ROLE, GALLEY_SECRET_KEYS, GALLEY_S3_BUCKET } = given
  if (DATABASE_URL === undefined && (GALLEY_ROLE === 'web' || GALLEY_ROLE === 'worker'))
    refuse(
      'GALLEY_ROLE',
      `${GALLEY_ROLE} needs DATABASE_URL: the embedded database serves one process, so no other process could do the other half of the work`,
    )
  if (DATABASE_URL !== undefined && GALLEY_SECRET_KEYS === undefined)
    refuse(
      'GALLEY_SECRET_KEYS',
      'is required with DATABASE_URL, alike for every process on that database: it encrypts the passwords of sites. Create one with: echo "$(date +%F):$(openssl rand -base64 32)"',
    )
  // A store that is half described would be found out by the first file. The region has a default, and means nothing alone.
  const ofStore = Object.keys(given).find((name) => /^GALLEY_S3_(?!REGION)/.test(name))
  if (ofStore !== undefined && GALLEY_S3_BUCKET === undefined)
    refuse('GALLEY_S3_BUCKET', `is required with ${ofStore}: the bucket that files are kept in`)
  for (const [one, other, why] of PAIRS)
    if ((given[one] === undefined) !== (given[other] === undefined))
      refuse(given[one] === undefined ? one : other, `is missing: ${why}`)
  const smtp = settings?.GALLEY_SMTP_TLS === 'off' ? settings.GALLEY_SMTP_URL : undefined
  if (smtp?.implicit)
    refuse('GALLEY_SMTP_TLS', 'cannot be off with smtps://, which encrypts from the first byte')
  else if (smtp?.credentials !== undefined && !isLoopback(smtp.host))
    refuse(
      'GALLEY_SMTP_TLS',
      'cannot be off where GALLEY_SMTP_URL has a password and another machine: whoever listens would read it',
    )
  if (settings && settings.GALLEY_MAX_WEBHOOK_BYTES > settings.GALLEY_BYTES_IN_FLIGHT * byteUses.webhooks)
    refuse(
      'GALLEY_BYTES_IN_FLIGHT',
      `must be at least ${settings.GALLEY_MAX_WEBHOOK_BYTES / byteUses.webhooks}, since a quarter of it is for webhooks and GALLEY_MAX_WEBHOOK_BYTES lets one have ${settings.GALLEY_MAX_WEBHOOK_BYTES} bytes`,
    )
  return mistakes
}

/** Reads the settings from the environment. @throws `bad_settings`, naming every mistake but no value: it may be secret */
export function loadConfig(variables: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value?.trim()))
  const { data: settings, error } = environmentSchema.safeParse(given)
  const mistakes = (error?.issues ?? []).map(({ path, message }) => ({ path: path.join('.'), message }))
  mistakes.push(...conflictingSettings(given, settings), ...misspelledSettings(given))
  const providers = readProviderSettings(settings ?? given, given)
  mistakes.push(...providers.mistakes)
  if (!settings || mistakes.length > 0) throw invalidSettings(mistakes)
  return toConfig(settings, providers.settings)
}

function toConfig(settings: z.output<typeof environmentSchema>, providers: ProviderSettings) {
  const host = ['0.0.0.0', '::'].includes(settings.HOST) ? 'localhost' : settings.HOST
  return {
    dataDir: settings.GALLEY_DATA_DIR,
    /** Undefined: the embedded PostgreSQL. */
    databaseUrl: settings.DATABASE_URL,
    host: settings.HOST,
    /** 0 lets the system choose. */
    port: settings.PORT,
    /** Where others reach Galley, without a trailing slash. */
    publicUrl: settings.PUBLIC_URL ?? `http://${host.includes(':') ? `[${host}]` : host}:${settings.PORT}`,
    /** Undefined: made and kept in the data folder. */
    secretKeys: settings.GALLEY_SECRET_KEYS,
    /** The first key, where it is given instead of printed once. */
    adminKey: settings.GALLEY_ADMIN_KEY,
    allowPrivate: settings.GALLEY_ALLOW_PRIVATE,
    role: settings.GALLEY_ROLE,
    logLevel: settings.LOG_LEVEL,
    maxWebhookBytes: settings.GALLEY_MAX_WEBHOOK_BYTES,
    bytesInFlight: settings.GALLEY_BYTES_IN_FLIGHT,
    /** Of one account and one process; 0 for no limit. */
    requestsPerMinute: settings.GALLEY_REQUESTS_PER_MINUTE,
    /** Days that the bodies of events and the timelines of deliveries are kept; 0 for ever. */
    retentionDays: settings.GALLEY_RETENTION_DAYS,
    /** Days that the files which Galley makes are kept and served; 0 for ever. */
    fileDays: settings.GALLEY_FILE_DAYS,
    s3: s3Of(settings),
    trustedProxies: settings.GALLEY_TRUSTED_PROXIES,
    maxConnections: settings.GALLEY_MAX_CONNECTIONS,
    /** Where health and metrics are served beside the API, without a key; undefined for nowhere. */
    metricsAddress: settings.GALLEY_METRICS_ADDRESS,
    /** Whether `/metrics` of the API answers without a key. */
    metricsOpen: settings.GALLEY_METRICS_OPEN,
    /** Where traces are sent, as OTLP over HTTP; undefined for nowhere. */
    tracesUrl: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    mail: mailOf(settings),
    prices: settings.GALLEY_PRICES,
    providers,
    /** Calls to providers, and millionths of what they cost, that one job may have at most. */
    budgetOfJob: { calls: settings.GALLEY_JOB_CALLS, micros: settings.GALLEY_JOB_MICROS },
  }
}

function mailOf(settings: z.output<typeof environmentSchema>): MailSettings | undefined {
  const { GALLEY_SMTP_URL: smtp, GALLEY_SMTP_TLS: tls, GALLEY_MAIL_FROM: from } = settings
  if (smtp === undefined || from === undefined) return undefined
  const { implicit, ...server } = smtp
  return { ...server, from, tls: implicit ? 'implicit' : tls === 'off' ? 'off' : 'starttls' }
}

function s3Of(settings: z.output<typeof environmentSchema>): S3Settings | undefined {
  const { GALLEY_S3_BUCKET: bucket, GALLEY_S3_ACCESS_KEY: accessKeyId } = settings
  const { GALLEY_S3_SECRET_KEY: secretAccessKey } = settings
  if (bucket === undefined) return undefined
  const given = accessKeyId !== undefined && secretAccessKey !== undefined
  return {
    bucket,
    endpoint: settings.GALLEY_S3_ENDPOINT,
    region: settings.GALLEY_S3_REGION,
    credentials: given ? { accessKeyId, secretAccessKey } : undefined,
    prefix: settings.GALLEY_S3_PREFIX,
  }
}

function invalidSettings(mistakes: SettingIssue[]): GalleyError {
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
