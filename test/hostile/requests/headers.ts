import type { Draw } from '../stage/random.ts'

type Header = [name: string, value: string]

/** A signature in the form of Standard Webhooks. */
const signed = (id: string, timestamp: string, signature: string): Header[] => [
  ['webhook-id', id],
  ['webhook-timestamp', timestamp],
  ['webhook-signature', signature],
]

/** Headers that somebody may send along. */
export const oddHeaders: readonly Header[][] = [
  [['Accept', 'text/html']],
  [['Accept', 'image/png']],
  [['Accept', 'application/xml;q=0.9, */*;q=0']],
  [['Accept', '']],
  [['Accept', ',;=,;q=x'.repeat(500)]],
  [['Accept-Encoding', 'br;q=1.0, gzip;q=0.8, *;q=0.1']],
  [['Accept-Language', 'x'.repeat(5_000)]],
  [['Accept-Charset', 'utf-16']],
  signed('x', '0', 'v1,x'),
  signed('x', 'NaN', 'v1,'.repeat(3_000)),
  signed('', '99999999999999999999', 'v1,AAAA v1a,x v2,y'),
  signed('x'.repeat(5_000), String(Date.now()), 'v1,\u00ff'),
  [['X-Signature-256', 'sha256='.repeat(1_000)]],
  [['X-Hub-Signature-256', 'sha256=']],
  [['X-Forwarded-For', '203.0.113.7, 10.0.0.1']],
  [['X-Forwarded-For', `${'1.2.3.4, '.repeat(500)}x`]],
  [['X-Forwarded-For', 'not an address']],
  [
    ['X-Forwarded-Host', 'evil.example'],
    ['X-Forwarded-Proto', 'javascript'],
  ],
  [['Forwarded', 'for="[::1]";host=evil.example']],
  [['Host', 'evil.example:99999']],
  [['Host', '']],
  [
    ['Host', 'a'],
    ['Host', 'b'],
  ],
  [['X-HTTP-Method-Override', 'DELETE']],
  [['X-Request-Id', 'x'.repeat(5_000)]],
  [['X-Request-Id', '\u00ff\u00fe']],
  [['X-Request-Id', '../../etc/passwd']],
  [['Range', 'bytes=0-,1-,2-,3-']],
  [['If-None-Match', '*']],
  [['If-None-Match', 'W/"'.repeat(3_000)]],
  [['If-Modified-Since', 'never']],
  [['Cookie', 'galley_connect=x; '.repeat(400)]],
  [['Cookie', 'a=%00%ff%; __proto__=1']],
  [['Origin', 'null']],
  [['Upgrade', 'websocket']],
  [['Upgrade', 'h2c']],
  [['Content-Length', '-1']],
  [['Content-Length', '99999999999999999999']],
  [
    ['Content-Length', '3'],
    ['Transfer-Encoding', 'chunked'],
  ],
  [['Transfer-Encoding', 'gzip, chunked']],
  [['Transfer-Encoding', 'xchunked']],
  [['Trailer', 'Authorization']],
  [['__proto__', 'x']],
  [['constructor', 'x']],
  [['X-Long', 'x'.repeat(15_000)]],
  [['X-Longer', 'x'.repeat(20_000)]],
  Array.from({ length: 150 }, (_, n): Header => [`X-Many-${n}`, 'x']),
  Array.from({ length: 2_500 }, (_, n): Header => [`X-More-${n}`, 'x']),
  [['User-Agent', '{{7*7}} jndi:ldap://127.0.0.1/a']],
]

/** How a key may be sent: the right way, most often, and others. */
export function authorization(draw: Draw, key: string, others: readonly string[]): Header[] {
  const bearer = (text: string): Header[] => [['Authorization', text]]
  if (draw.chance(0.75)) return bearer(`Bearer ${key}`)
  return draw.pick<Header[]>([
    [['X-API-Key', key]],
    bearer(`bearer   ${key}  `),
    bearer(`Bearer ${key}x`),
    bearer(`Bearer ${key.toUpperCase()}`),
    bearer(`Basic ${Buffer.from(`x:${key}`).toString('base64')}`),
    bearer('Bearer '),
    bearer(`Bearer ${'x'.repeat(10_000)}`),
    bearer(`Bearer\u00a0${key}`),
    bearer(`Bearer gly_sk_${'0'.repeat(48)}`),
    bearer(`Bearer ${draw.pick(others)}`),
    [
      ['Authorization', 'Bearer x'],
      ['X-API-Key', key],
    ],
    [
      ['Authorization', `Bearer ${key}`],
      ['Authorization', 'Bearer x'],
    ],
    [],
  ])
}
