import { PassThrough, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createLog, createServiceDestination, type Logger } from '../src/log/log.ts'
import { redactSecrets, redactTokenInUrl } from '../src/log/redact.ts'

function logged(entry: object): Record<string, unknown> {
  const lines: string[] = []
  const log = createLog(
    { logLevel: 'info' },
    new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk))
        done()
      },
    }),
  )
  log.info(entry, 'what happened')
  return JSON.parse(lines.join(''))
}

describe('the log', () => {
  it('writes the time of a line in ISO 8601, UTC', () => {
    expect(logged({}).time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('keeps the message of an error apart from those of its causes, which are in the stack', () => {
    const { err } = logged({ err: new Error('Send it again.', { cause: new Error('no disk left') }) }) as {
      err: { message: string; stack: string }
    }
    expect(err.message).toBe('Send it again.')
    expect(err.stack).toContain('caused by: Error: no disk left')
  })

  it.each([
    ['at the top', (secret: object) => secret],
    ['in a request', (secret: object) => ({ req: { headers: secret } })],
    ['in a site', (secret: object) => ({ site: secret })],
    ['in a body', (secret: object) => ({ req: { body: { data: secret } } })],
    ['in a list', (secret: object) => ({ sites: [{ id: 1 }, secret] })],
    ['far below', (secret: object) => ({ a: { b: { c: { d: { e: secret } } } } })],
    ['further below than anything is written', (secret: object) => ({ a: [[[[[[[[[[secret]]]]]]]]]] })],
    [
      'in the reason of a failure',
      (secret: object) => ({ err: Object.assign(new Error('x'), { config: { headers: secret } }) }),
    ],
    [
      'in one reason of several',
      (secret: object) => ({ err: new AggregateError([Object.assign(new Error('x'), { request: secret })]) }),
    ],
  ])('holds no secret %s', (_where, entry) => {
    const secrets = {
      authorization: 'Bearer hunter2',
      'x-api-key': 'hunter2',
      application_password: 'hunter2',
      applicationPassword: 'hunter2',
      signing_secret: 'hunter2',
      upstream_api_key: 'hunter2',
      // What is no text is found by its name alone.
      secretKeys: ['hunter2'],
      token: { value: 'hunter2' },
    }
    const line = logged(entry(secrets))
    expect(JSON.stringify(line)).not.toContain('hunter2')
    expect(line).toMatchObject({ msg: 'what happened' })
  })

  it.each([
    ['/v1/webhooks/0123abcd', '/v1/webhooks/[redacted]'],
    ['/v1/webhooks/0123abcd?x=1', '/v1/webhooks/[redacted]?x=1'],
    ['/v1/webhooks/0123abcd/more', '/v1/webhooks/[redacted]/more'],
    ['/V1/WebHooks/0123abcd', '/V1/WebHooks/[redacted]'],
    ['//v1///webhooks//./0123abcd', '//v1///webhooks//./[redacted]'],
    ['/v1/webhook%73/0123abcd', '/v1/webhook%73/[redacted]'],
    ['/v1/%2577ebhooks%252f0123abcd', '/v1/%2577ebhooks%252f[redacted]'],
    ['/v1\\webhooks\\0123abcd', '/v1\\webhooks\\[redacted]'],
    ['/v1/webhook/0123abcd', '/v1/webhook/[redacted]'],
    ['/connect/0123abcd/approved?state=1&password=2', '/connect/[redacted]/approved?[redacted]'],
    ['/CONNECT/0123abcd?pass%77ord=2', '/CONNECT/[redacted]?[redacted]'],
    ['/anything?pass%77ord=hunter2&limit=2', '/anything?pass%77ord=[redacted]&limit=2'],
    ['/anything?api_key=hunter2;X-Token=hunter2', '/anything?api_key=[redacted];X-Token=[redacted]'],
    [`/v1/sites?label=${'x'.repeat(100)}`, '/v1/sites?label=[redacted]'],
    ['/v1/sites', '/v1/sites'],
    ['/v1/connect-links', '/v1/connect-links'],
    [
      '/v1/deliveries?site_id=5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
      '/v1/deliveries?site_id=5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
    ],
  ])('writes %s as %s', (url, written) => {
    expect(redactTokenInUrl(url)).toBe(written)
  })

  const token = '0123456789abcdef'.repeat(3)
  const escaped = [...token].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
  const spellings = [
    token,
    token.toUpperCase(),
    escaped,
    escaped.replaceAll('%', '%25'),
    `%30${token.slice(1)}`,
    `gly_sk_${token}`,
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'abcd EFGH 1234 abcd EFGH 1234',
    'abcd+EFGH+1234+abcd+EFGH+1234',
  ]
  const places: [string, (secret: string) => object][] = [
    ['the message of an error', (secret) => ({ err: new Error(`failed at ${secret}`) })],
    [
      'a header that tells where somebody came from',
      (secret) => ({ headers: { referer: `https://x/CONNECT/${secret}` } }),
    ],
    [
      'an error of Prisma',
      (secret) => ({
        err: Object.assign(new Error(`where: {\n  hash: "${secret}"\n}`), { meta: { secret } }),
      }),
    ],
    [
      'an error of PostgreSQL',
      (secret) => ({ err: Object.assign(new Error('taken'), { detail: `Key (name)=(${secret}) exists.` }) }),
    ],
    ['a cause', (secret) => ({ err: new Error('outside', { cause: new Error(secret) }) })],
    ['any text', (secret) => ({ deep: { in: [{ some: `\u001b\u0000${secret}"\\` }] } })],
  ]
  it.each(places.flatMap(([place, entry]) => spellings.map((secret) => [secret, place, entry] as const)))(
    'does not write %s in %s',
    (secret, _place, entry) => {
      const line = JSON.stringify(logged(entry(secret)))
      expect(line).toContain('[redacted]')
      expect(line).not.toContain(secret.slice(8))
    },
  )

  it.each([
    ['Authorization: Bearer abc.DEF.1', 'abc.DEF'],
    ['authorization=Basic dXNlcjpwYXNz', 'dXNlc'],
    ['Invalid invocation: applicationPassword: "hunter2"', 'hunter2'],
    ['{\\"signing_secret\\":\\"hunter2\\"}', 'hunter2'],
    ['connecting to postgresql://galley:hunter2@db.internal/x', 'hunter2'],
    ['https://site.example/?user_login=hunter2&password=hunter2', 'hunter2'],
    ['Cookie: galley_connect=hunter2', 'hunter2'],
    ['{"password":"correct horse hunter2"}', 'hunter2'],
  ])('does not write the secret in %s', (text, secret) => {
    expect(JSON.stringify(logged({ text, err: new Error(text) }))).not.toContain(secret)
  })

  it('leaves what is no secret, and JSON, as they are', () => {
    const entry = {
      token: null,
      tokens: 5,
      secrets: [1, { key: true }],
      id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
      text: 'Basic authentication is off; that this will have been done, says nobody with a token: x',
      password_uuid: -1.5,
    }
    expect(logged(entry)).toMatchObject({
      ...entry,
      token: '[redacted]',
      text: expect.stringContaining('Basic authentication'),
    })
    const fuzz = [
      '"',
      '\\',
      '\u0001',
      'a1',
      token,
      'password',
      ':',
      '=',
      ' ',
      '{',
      '[',
      'null',
      '\ud800',
      "'",
      'é',
    ]
    for (let n = 0; n < 3_000; n += 1) {
      const text = Array.from(
        { length: 12 },
        (_, i) => fuzz[(n * 31 + i * i * 17 + ((n >> 3) ^ i)) % fuzz.length],
      ).join('')
      expect(() =>
        JSON.parse(redactSecrets(JSON.stringify({ [text]: text, password: n, token: text }))),
      ).not.toThrow()
    }
  })
})

describe('the log in a terminal', () => {
  async function shown(logLevel: 'info' | 'debug', write: (log: Logger) => void): Promise<string> {
    const terminal = Object.assign(new PassThrough(), { isTTY: true })
    write(createLog({ logLevel }, await createServiceDestination({ logLevel }, terminal)))
    await setImmediate()
    return String(terminal.read() ?? '')
  }
  const request = (log: Logger) => log.info({ req: { method: 'GET' } }, 'request completed')

  it('is for a person, and has no secrets either', async () => {
    const text = await shown('info', (log) =>
      log.warn({ site: 'https://a.example' }, `uses gly_sk_${'a'.repeat(48)}`),
    )
    expect(text).toMatch(/^\[\d\d:\d\d:\d\d\] .*WARN.*: .*uses gly_sk_\[redacted\].*https:\/\/a\.example/)
  })

  it('has no lines of requests that went well, but at the level debug', async () => {
    expect(await shown('info', request)).toBe('')
    expect(await shown('debug', request)).toContain('request completed')
  })
})
