import fc from 'fast-check'

/** What has broken posts before, or is written to: each must come out as the text it is. */
const hostile = [
  '[gallery]',
  '[caption id="a" width="1"]x[/caption]',
  '[[audio]]',
  '[embed]https://example.com/watch?v=1[/embed]',
  '[gallery',
  '[\0gallery]',
  '[\u2060gallery]',
  '&lbrack;gallery&rsqb;',
  '&amp;#x5b;gallery&#93;',
  '[1]',
  'https://example.com/watch?v=1&t=2',
  'HTTP://EXAMPLE.COM',
  ' https://example.com/ ',
  '-->',
  '<!--more-->',
  '<!-- wp:paragraph -->',
  '<!-- /wp:paragraph -->',
  '<!--nextpage-->',
  '</p><script>alert(1)</script>',
  '<b onclick="x()">',
  ']]>',
  '&amp;',
  '&lt;b&gt;',
  '&copy;',
  '&copy',
  '&#91;x]',
  '&#0;',
  '&amp;amp;lt;',
  '&notanentity;',
  '"\'',
  '\\"',
  '\\u003c',
  '\\\\--',
  'C:\\',
  '--',
  '{"a":1}',
  '$1 $& $$',
  '%5B%',
  ':-) (c) 1/2 ... WordPress Wordpress',
  '\u00a0',
  '\u2028',
  '\ufeff',
  '\ufffc',
  '\u200b\u200d',
  '\u202eabc\u202c',
  '\u0130\u0131 \u212a \u017f \u1e9e \ufb01',
  'שלום עולם',
  'مرحبا بالعالم',
  '漢字かな交じり文',
  '👩‍👩‍👧‍👦🏳️‍🌈',
  '\u{10ffff}\u{1d11e}',
  '\ud800',
  '\udc00x',
  '\ufffe\uffff',
  '\0\u0001\u0008\u000b\u001f\u007f\u0085',
  '\n',
  '\r\n\t',
  '  ',
  ' ',
  '',
]

const word = fc.string({ minLength: 1, maxLength: 8 })
/** Any that is no surrogate: fast-check's own, in `webUrl` too, takes a second to list a million of them. */
const codePoint = fc.nat(0x10ffff - 0x800).map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800))
const anyPlane = fc.string({ unit: codePoint, maxLength: 6 })
const longLine = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 10 })
  .map((text) => text.repeat(10_000 / text.length))

/** Text of every kind; once in a while a line of 10,000 characters. */
export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom(...hostile) },
  { weight: 40, arbitrary: word },
  { weight: 20, arbitrary: anyPlane },
  {
    weight: 40,
    arbitrary: fc
      .array(fc.oneof(word, fc.constantFrom(...hostile)), { maxLength: 5 })
      .map((parts) => parts.join(' ')),
  },
  { weight: 1, arbitrary: longLine },
)

const ofAddress = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom(..."azAZ09-._~!$&'()*+,;=:@/?") },
  { weight: 1, arbitrary: codePoint.map(encodeURIComponent) },
)
const webAddress = fc
  .tuple(fc.constantFrom('http', 'https'), fc.domain(), ...Array(3).fill(fc.string({ unit: ofAddress })))
  .map(([scheme, host, path, query, fragment]) => `${scheme}://${host}/${path}?${query}#${fragment}`)

/** Addresses, good and bad. */
export const address: fc.Arbitrary<string> = fc.oneof(
  webAddress,
  fc.constantFrom(
    'https://example.com/a b.png',
    'https://example.com/?a[0]=1&copy;=2&amp;b=3',
    'https://example.com/"><script>',
    "https://example.com/it's (here)",
    'https://[::1]:8080/',
    'https://пример.example/путь',
    'https://example.com/\ud800',
    '//cdn.example/a.png',
    '/wiki/Help:Contents',
    'page.html',
    '#part two',
    'mailto:a@example.com?subject=x',
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'unknown:x',
    '',
  ),
)

/** Formulas that the block editor sets. */
export const formula = fc.constantFrom(
  'x^2 + y_1',
  'h(t) = \\sum_i A_i \\cos(\\omega_i t)',
  '\\sqrt[3]{x} < "y" \\& f\'(z)',
  '\\text{[gallery] } \\left[0, 1\\right]',
  '\\begin{matrix}a & b \\\\ c & d\\end{matrix}',
  '\\frac{a}{b}\n% a remark\n\\le~c',
  '\\color{red} x \\tag{1}',
)
