import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createLog, withoutToken } from '../src/log.ts'

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
  it.each([
    ['at the top', (secret: object) => secret],
    ['in a request', (secret: object) => ({ req: { headers: secret } })],
    ['in a site', (secret: object) => ({ site: secret })],
    ['in a body', (secret: object) => ({ req: { body: { data: secret } } })],
  ])('holds no secret %s', (_where, entry) => {
    const secrets = {
      authorization: 'Bearer hunter2',
      'x-api-key': 'hunter2',
      application_password: 'hunter2',
      applicationPassword: 'hunter2',
      signing_secret: 'hunter2',
      upstream_api_key: 'hunter2',
    }
    const line = logged(entry(secrets))
    expect(JSON.stringify(line)).not.toContain('hunter2')
    expect(line).toMatchObject({ msg: 'what happened' })
  })

  it.each([
    ['/v1/webhooks/0123abcd', '/v1/webhooks/[redacted]'],
    ['/v1/webhooks/0123abcd?x=1', '/v1/webhooks/[redacted]?x=1'],
    ['/v1/webhooks/0123abcd/more', '/v1/webhooks/[redacted]/more'],
    ['/v1/sites', '/v1/sites'],
  ])('writes %s as %s', (url, written) => {
    expect(withoutToken(url)).toBe(written)
  })
})
