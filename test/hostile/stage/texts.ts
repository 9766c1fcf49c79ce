/** Long enough that a pattern which is not linear takes seconds, short enough that a linear one does not. */
const bait = (part: string, length: number): string => part.repeat(Math.ceil(length / part.length))

/** Texts that break programs: characters that no column takes, baits for patterns, addresses, names of members. */
export const hostileTexts: readonly string[] = [
  '\0',
  'before\0after',
  '\ud800',
  'half \udc00 a pair',
  '\ufeff\u202e\u2028\u2029',
  '\u0001\u001b[31m\u0007\u007f\u0085',
  'javascript:alert(1)',
  ' \tjava\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'not a url',
  'http://',
  'http://[::1',
  'http://169.254.169.254/latest/meta-data/',
  'https://user:secret@example.com/',
  '//example.com',
  'file:///etc/passwd',
  '"><script>alert(1)</script>',
  "' OR 1=1 --",
  '\r\nX-Injected: yes\r\n\r\n',
  '../../../../etc/passwd',
  '%00%ff%',
  '{{7*7}}<%= 7*7 %>#{7*7}',
  '__proto__',
  'constructor',
  'toString',
  '',
  ' ',
  'null',
  'NaN',
  '1e400',
  '-1',
  '0x10',
  '99999999999999999999',
  '00000000-0000-0000-0000-000000000000',
  '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}',
  bait('e\u0301\u0302\u0303', 20_000),
  bait('a', 300_000),
  bait(' ', 120_000),
  bait('/', 120_000),
  bait('-', 130_000),
  bait('<', 100_000),
  bait('>', 100_000),
  bait('&', 100_000),
  bait('"', 100_000),
  bait('%', 100_000),
  bait('[x', 100_000),
  bait('](', 100_000),
  bait('<!--', 100_000),
  bait('<link ', 300_000),
  bait('<a href="', 100_000),
  bait('<meta name="generator" ', 40_000),
  bait('<meta content="WordPress ', 100_000),
  bait('{"', 100_000),
  bait('[{"', 100_000),
  bait('a > ', 100_000),
  bait('a@', 100_000),
  bait('\n', 100_000),
  bait('\\', 100_000),
  bait('a.', 100_000),
  bait('1,', 100_000),
]

/** Those that are short: for headers, and for many in one answer. */
export const shortTexts: readonly string[] = hostileTexts.filter(({ length }) => length < 1_000)

/** Values that are something else than was expected. */
export const hostileValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.5,
  -0.1,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  1e308,
  [],
  {},
  [null],
  [[[[]]]],
  { a: { b: { c: {} } } },
  { $ne: null },
  { toString: null, length: -1 },
]

/** JSON that no value of this language is written as: said in place of a value. */
export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const nested = (open: string, close: string, depth: number) =>
  new RawJson(open.repeat(depth) + close.repeat(depth))

/** What only the text of a body can say: depth, keys that are special, numbers beyond every type. */
export const rawValues: readonly RawJson[] = [
  nested('[', ']', 500),
  nested('[', ']', 5_000),
  nested('[', ']', 100_000),
  new RawJson(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`),
  new RawJson('{"__proto__":{"polluted":true}}'),
  new RawJson('{"constructor":{"prototype":{"polluted":true}}}'),
  new RawJson('1e400'),
  new RawJson('-0'),
  new RawJson('123456789012345678901234567890'),
  new RawJson('"\\u0000"'),
  new RawJson('"\\ud800"'),
  new RawJson(`[${'0,'.repeat(50_000)}0]`),
  new RawJson(`{${Array.from({ length: 10_000 }, (_, n) => `"k${n}":0`).join()}}`),
]

/** JSON of a value that may hold `RawJson` anywhere. Of shallow values alone: it calls itself. */
export function toJson(value: unknown): string {
  if (value instanceof RawJson) return value.text
  if (Array.isArray(value)) return `[${value.map(toJson).join()}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${toJson(member)}`)
  return `{${members.join()}}`
}
