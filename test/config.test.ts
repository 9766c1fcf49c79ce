import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../src/config/config.ts'
import { settingNames } from '../src/config/settings.ts'
import { GalleyError } from '../src/errors.ts'

function mistakes(variables: Record<string, string>): { path: string; message: string }[] {
  try {
    loadConfig(variables)
  } catch (error) {
    if (error instanceof GalleyError && error.code === 'bad_settings')
      return error.details as { path: string; message: string }[]
    throw error
  }
  return []
}

const secretKeys = `2026:${Buffer.alloc(32, 7).toString('base64')}`

describe('settings', () => {
  it('need none of them', () => {
    expect(loadConfig({})).toMatchObject({
      databaseUrl: undefined,
      host: '127.0.0.1',
      port: 8080,
      publicUrl: 'http://127.0.0.1:8080',
      allowPrivate: [],
      role: 'all',
      logLevel: 'info',
      maxWebhookBytes: 10_485_760,
      bytesInFlight: 268_435_456,
      requestsPerMinute: 1200,
      trustedProxies: [],
      maxConnections: 1000,
      metricsAddress: undefined,
      metricsOpen: false,
      tracesUrl: undefined,
    })
  })

  it.each([
    ['9090', { host: '127.0.0.1', port: 9090 }],
    ['0.0.0.0:9090', { host: '0.0.0.0', port: 9090 }],
    ['[::1]:0', { host: '::1', port: 0 }],
    ['metrics.internal:9090', { host: 'metrics.internal', port: 9090 }],
  ])('read %s as an address', (text, address) => {
    expect(loadConfig({ GALLEY_METRICS_ADDRESS: text }).metricsAddress).toEqual(address)
  })

  it('read the proxies whose word is believed, one by one and by range', () => {
    const { trustedProxies } = loadConfig({ GALLEY_TRUSTED_PROXIES: '10.0.0.1, 192.168.0.0/16,::1' })
    expect(trustedProxies).toEqual(['10.0.0.1', '192.168.0.0/16', '::1'])
  })

  it('name every mistake at once', () => {
    const all = mistakes({
      DATABASE_URL: 'mysql://localhost/galley',
      PORT: '70000',
      PUBLIC_URL: 'galley.example.com',
      GALLEY_SECRET_KEYS: '2026:short',
      GALLEY_ADMIN_KEY: 'gly_sk_short',
      GALLEY_ALLOW_PRIVATE: '10.0.0.0/8,not a host',
      GALLEY_ROLE: 'wbe',
      LOG_LEVEL: 'loud',
      GALLEY_MAX_WEBHOOK_BYTES: '10MB',
      GALLEY_BYTES_IN_FLIGHT: '1048576',
      GALLEY_REQUESTS_PER_MINUTE: '-1',
      GALLEY_TRUSTED_PROXIES: '10.0.0.1,10.0.0.0/33',
      GALLEY_MAX_CONNECTIONS: '0',
      GALLEY_METRICS_ADDRESS: '127.0.0.1',
      GALLEY_METRICS_OPEN: 'maybe',
      GALLEY_S3_ENDPOINT: 's3.example.com',
      GALLEY_S3_REGION: 'in the east',
    })
    expect(all.map(({ path }) => path)).toEqual([
      'DATABASE_URL',
      'PORT',
      'PUBLIC_URL',
      'GALLEY_SECRET_KEYS',
      'GALLEY_ADMIN_KEY',
      'GALLEY_ALLOW_PRIVATE',
      'GALLEY_ROLE',
      'LOG_LEVEL',
      'GALLEY_MAX_WEBHOOK_BYTES',
      'GALLEY_BYTES_IN_FLIGHT',
      'GALLEY_REQUESTS_PER_MINUTE',
      'GALLEY_S3_ENDPOINT',
      'GALLEY_S3_REGION',
      'GALLEY_TRUSTED_PROXIES',
      'GALLEY_MAX_CONNECTIONS',
      'GALLEY_METRICS_ADDRESS',
      'GALLEY_METRICS_OPEN',
      'GALLEY_S3_BUCKET',
    ])
    expect(all.find(({ path }) => path === 'GALLEY_ALLOW_PRIVATE')?.message).toContain('not a host')
  })

  it('name what is wrong together beside what is wrong alone', () => {
    expect(mistakes({ GALLEY_ROLE: 'worker', PORT: 'x' }).map(({ path }) => path)).toEqual([
      'PORT',
      'GALLEY_ROLE',
    ])
    expect(mistakes({ DATABASE_URL: 'postgresql://localhost/galley' })).toMatchObject([
      { path: 'GALLEY_SECRET_KEYS', message: expect.stringContaining('required with DATABASE_URL') },
    ])
  })

  it.each([
    'https://galley.example.com/?',
    'https://galley.example.com/#/sites',
    'https://u:p@galley.example.com',
  ])(
    'refuse %s, with which no address of a webhook would work, or sites would be told a password',
    (PUBLIC_URL) => expect(mistakes({ PUBLIC_URL }).map(({ path }) => path)).toEqual(['PUBLIC_URL']),
  )

  it('name a bucket with whatever else is said of it, and a key with its secret', () => {
    const named = (variables: Record<string, string>) => mistakes(variables).map(({ path }) => path)
    expect(named({ GALLEY_S3_PREFIX: 'galley/' })).toEqual(['GALLEY_S3_BUCKET'])
    expect(named({ GALLEY_S3_BUCKET: 'files', GALLEY_S3_ACCESS_KEY: 'x' })).toEqual(['GALLEY_S3_SECRET_KEY'])
    expect(named({ GALLEY_S3_BUCKET: 'files', GALLEY_S3_SECRET_KEY: 'x' })).toEqual(['GALLEY_S3_ACCESS_KEY'])
    expect(loadConfig({}).s3).toBeUndefined()
    expect(loadConfig({ GALLEY_S3_BUCKET: 'files' }).s3).toEqual({
      bucket: 'files',
      endpoint: undefined,
      region: 'us-east-1',
      credentials: undefined,
      prefix: '',
    })
  })

  it('describe a mail server, encrypted unless somebody says otherwise', () => {
    const from = { GALLEY_MAIL_FROM: '"Galley, Harbour" <galley@example.com>' }
    const server = (url: string, more = {}) => loadConfig({ GALLEY_SMTP_URL: url, ...from, ...more }).mail
    expect(loadConfig({}).mail).toBeUndefined()
    expect(server('smtp://galley:p%40ss%3Aword@mail.example.com')).toEqual({
      host: 'mail.example.com',
      port: 587,
      tls: 'starttls',
      credentials: { user: 'galley', password: 'p@ss:word' },
      from: { name: 'Galley, Harbour', address: 'galley@example.com' },
    })
    expect(server('smtps://mail.example.com')).toMatchObject({
      port: 465,
      tls: 'implicit',
      credentials: undefined,
    })
    expect(server('smtp://[::1]:25', { GALLEY_SMTP_TLS: 'off' })).toMatchObject({ host: '::1', tls: 'off' })
  })

  it.each([
    ['a server alone', { GALLEY_SMTP_URL: 'smtp://mail.example.com' }, 'GALLEY_MAIL_FROM'],
    ['a sender alone', { GALLEY_MAIL_FROM: 'galley@example.com' }, 'GALLEY_SMTP_URL'],
    ['another protocol', { GALLEY_SMTP_URL: 'http://mail.example.com' }, 'GALLEY_SMTP_URL'],
    [
      'a password that is not escaped',
      { GALLEY_SMTP_URL: 'smtp://u:p/w@mail.example.com' },
      'GALLEY_SMTP_URL',
    ],
    ['a user without a password', { GALLEY_SMTP_URL: 'smtp://u@mail.example.com' }, 'GALLEY_SMTP_URL'],
    [
      'no address',
      { GALLEY_SMTP_URL: 'smtp://mail.example.com', GALLEY_MAIL_FROM: 'Galley' },
      'GALLEY_MAIL_FROM',
    ],
    [
      'a password that everybody may read on the way',
      {
        GALLEY_SMTP_URL: 'smtp://u:hunter2@mail.example.com',
        GALLEY_SMTP_TLS: 'off',
        GALLEY_MAIL_FROM: 'a@example.com',
      },
      'GALLEY_SMTP_TLS',
    ],
    [
      'encrypted, and not',
      {
        GALLEY_SMTP_URL: 'smtps://mail.example.com',
        GALLEY_SMTP_TLS: 'off',
        GALLEY_MAIL_FROM: 'a@example.com',
      },
      'GALLEY_SMTP_TLS',
    ],
  ])('refuse a mail server with %s', (_, variables, path) => {
    const found = mistakes(variables as Record<string, string>)
    expect(found.map((mistake) => mistake.path)).toContain(path)
    expect(JSON.stringify(found)).not.toContain('hunter2')
  })

  it('leave room for the largest webhook in what may be in flight', () => {
    expect(mistakes({ GALLEY_MAX_WEBHOOK_BYTES: '104857600' })).toMatchObject([
      { path: 'GALLEY_BYTES_IN_FLIGHT', message: expect.stringContaining('at least 419430400') },
    ])
    const enough = { GALLEY_MAX_WEBHOOK_BYTES: '104857600', GALLEY_BYTES_IN_FLIGHT: '419430400' }
    expect(mistakes(enough)).toEqual([])
  })

  it('name a database address that cannot be read, and how a password is written in it', () => {
    const address = { DATABASE_URL: 'postgres://u:p@ss:w/rd@host:1/x', GALLEY_SECRET_KEYS: secretKeys }
    expect(mistakes(address)).toEqual([{ path: 'DATABASE_URL', message: expect.stringContaining('%40 %2F') }])
  })

  it('repeat no secret in their mistakes', () => {
    const message = JSON.stringify(mistakes({ GALLEY_ADMIN_KEY: 'hunter2', GALLEY_SECRET_KEYS: 'hunter2' }))
    expect(message).not.toContain('hunter2')
  })

  it('count an empty value as not set', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: ' ' })).toMatchObject({ port: 8080, databaseUrl: undefined })
  })

  it('split the work where the halves share a database', () => {
    const variables = {
      DATABASE_URL: 'postgres://localhost/galley',
      GALLEY_SECRET_KEYS: secretKeys,
      GALLEY_ROLE: 'web',
    }
    expect(loadConfig(variables)).toMatchObject({ role: 'web', secretKeys })
  })

  it.each([
    ['all', 'all'],
    ['true', 'all'],
    ['10.0.0.0/8, wordpress.internal:8080,[::1]:80', ['10.0.0.0/8', 'wordpress.internal:8080', '[::1]:80']],
  ])('read GALLEY_ALLOW_PRIVATE=%s', (text, expected) => {
    expect(loadConfig({ GALLEY_ALLOW_PRIVATE: text }).allowPrivate).toEqual(expected)
  })

  it.each([
    [{ PUBLIC_URL: 'https://galley.example.com/' }, 'https://galley.example.com'],
    [{ PUBLIC_URL: 'https://example.com/galley/' }, 'https://example.com/galley'],
    [{ HOST: '0.0.0.0', PORT: '3000' }, 'http://localhost:3000'],
    [{ HOST: '::1' }, 'http://[::1]:8080'],
  ])('reach Galley, with %o, at %s', (variables, publicUrl) => {
    expect(loadConfig(variables).publicUrl).toBe(publicUrl)
  })
})

describe('.env.example', () => {
  const text = readFileSync(new URL('../.env.example', import.meta.url), 'utf8')
  const example = parseEnv(text) as Record<string, string>

  it('has every setting, and no other', () => {
    expect(Object.keys(example).sort()).toEqual([...settingNames].sort())
  })

  it('gives each its default', () => {
    expect(loadConfig(example)).toEqual(loadConfig({}))
  })

  it('says of each what it is for', () => {
    for (const name of settingNames) expect(text).toMatch(new RegExp(`\n# .*[.]\n${name}=`))
  })
})
