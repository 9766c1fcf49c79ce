import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { verifySignature } from '../../src/sources/sender.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const body = Buffer.from('{"event":"document.completed"}')
const now = 1_700_000_000_000

function standard(overrides: Record<string, string> = {}) {
  const id = 'msg_1'
  const timestamp = overrides['webhook-timestamp'] ?? String(now / 1000)
  const key = Buffer.from(secret.slice(6), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
    ...overrides,
  }
}

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'], now })
})
afterAll(() => {
  vi.useRealTimers()
})

const checking =
  (headers: Record<string, string>, secrets = [secret]) =>
  () =>
    verifySignature(secrets, headers, body)

describe('a signed webhook', () => {
  test('passes with a Standard Webhooks signature', () => {
    expect(checking(standard())).not.toThrow()
  })

  test('passes when one of several signatures fits, as while a secret is being changed', () => {
    const { 'webhook-signature': good } = standard()
    expect(checking(standard({ 'webhook-signature': `v1,bm90IGl0 ${good}` }))).not.toThrow()
  })

  test('passes under the names that Svix sends, within the same rules', () => {
    const svix = (overrides = {}) =>
      Object.fromEntries(
        Object.entries(standard(overrides)).map(([name, value]) => [name.replace('webhook', 'svix'), value]),
      )
    expect(checking(svix())).not.toThrow()
    expect(checking({ ...svix(), 'svix-signature': 'v1,bm90IGl0' })).toThrow('does not fit the body')
    expect(checking(svix({ 'webhook-timestamp': String(now / 1000 - 301) }))).toThrow(
      'svix-timestamp is more',
    )
    const { 'svix-id': _, ...nameless } = svix()
    expect(checking(nameless)).toThrow('svix-signature came without svix-id or svix-timestamp.')
  })

  test('passes with a plain SHA-256 signature of the body', () => {
    const digest = createHmac('sha256', secret).update(body).digest('hex')
    expect(checking({ 'x-hub-signature-256': `sha256=${digest}` })).not.toThrow()
  })

  test('passes with what the reference library signs, and with a secret that is not in base64', () => {
    const signed = (webhook: Webhook) =>
      standard({ 'webhook-signature': webhook.sign('msg_1', new Date(now), `${body}`) })
    expect(checking(signed(new Webhook(secret)))).not.toThrow()
    const words = 'a secret of the sender: ü'
    expect(checking(signed(new Webhook(Buffer.from(words), { format: 'raw' })), [words])).not.toThrow()
  })

  test('passes with either of two secrets, in both forms', () => {
    expect(checking(standard(), ['the new secret, 16', secret])).not.toThrow()
    const digest = createHmac('sha256', secret).update(body).digest('hex')
    expect(checking({ 'x-signature-256': `sha256=${digest}` }, ['the new secret, 16', secret])).not.toThrow()
  })

  test('passes unsigned where nobody signs', () => {
    expect(checking({}, [])).not.toThrow()
  })

  test('is refused where the bytes are not text, which is all that is signed', () => {
    const bytes = Buffer.from([0xff])
    const signature = new Webhook(secret).sign('msg_1', new Date(now), '\ufffd')
    expect(() => verifySignature([secret], standard({ 'webhook-signature': signature }), bytes)).toThrow(
      expect.objectContaining({ code: 'SIGNATURE_INVALID' }),
    )
  })

  test.each([
    ['without any signature', {}, 'SIGNATURE_MISSING'],
    [
      'with a signature but no timestamp',
      { 'webhook-signature': 'v1,x', 'webhook-id': 'm' },
      'SIGNATURE_MISSING',
    ],
    [
      'with a signature of another body',
      { 'x-signature-256': `sha256=${'0'.repeat(64)}` },
      'SIGNATURE_INVALID',
    ],
    [
      'with a signature of another version alone',
      standard({ 'webhook-signature': 'v2,abc' }),
      'SIGNATURE_INVALID',
    ],
    [
      'signed six minutes ago',
      standard({ 'webhook-timestamp': String(now / 1000 - 360) }),
      'SIGNATURE_EXPIRED',
    ],
    ['with a timestamp that is no number', standard({ 'webhook-timestamp': 'soon' }), 'SIGNATURE_EXPIRED'],
  ])('is refused %s', (_what, headers, code) => {
    expect(checking(headers as Record<string, string>)).toThrow(
      expect.objectContaining({ code, httpStatus: 401 }),
    )
  })
})
