import { expect, test } from 'vitest'
import { decodePage } from '../../../src/generation/pipeline/research/fetch-page.ts'

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  )

test.each<[string, Buffer, string | undefined, string]>([
  [
    'its byte order mark, before all',
    bytes([0xef, 0xbb, 0xbf, 0xc3, 0xa9]),
    'text/html; charset=latin1',
    'é',
  ],
  ['the mark of UTF-16', bytes([0xff, 0xfe, 0xe9, 0x00]), undefined, 'é'],
  ['its header', bytes([0xe9]), 'text/html; charset="ISO-8859-1"', 'é'],
  ['its header, as browsers mean it', bytes([0x80, 0x9c]), 'text/html; charset=iso-8859-1', '€œ'],
  ['its header, in Japanese', bytes([0x93, 0xfa, 0x96, 0x7b]), 'text/html;charset=Shift_JIS', '日本'],
  ['its own word', bytes('<meta charset=koi8-r>', [0xc1]), 'text/html', '<meta charset=koi8-r>а'],
  [
    'its own word, the old way',
    bytes('<META http-equiv="Content-Type" content="text/html; charset=windows-1251">', [0xe0]),
    undefined,
    '<META http-equiv="Content-Type" content="text/html; charset=windows-1251">а',
  ],
  [
    'UTF-8, where its own word is UTF-16, which it cannot be',
    bytes('<meta charset="utf-16le">', [0xc3, 0xa9]),
    'text/html',
    '<meta charset="utf-16le">é',
  ],
  ['its header, in UTF-16', bytes([0xe9, 0x00]), 'text/html; charset=utf-16', 'é'],
  ['UTF-8, where it says nothing', bytes([0xc3, 0xa9]), 'text/html', 'é'],
  ['UTF-8, cut in the middle of a character', bytes([0xc3, 0xa9, 0xc3]), 'text/html', 'é'],
  ['what old pages are in, where it is not UTF-8', bytes([0xe9, 0x20, 0x80]), 'text/html', 'é €'],
  ['UTF-8, where its word is unknown', bytes([0xc3, 0xa9]), 'text/html; charset=klingon', 'é'],
])('a page is read by %s', (_by, page, contentType, text) => {
  expect(decodePage(page, contentType)).toBe(text)
})
