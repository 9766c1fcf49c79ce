import { describe, expect, it } from 'vitest'
import { extractJson } from '../../src/wordpress/client/json.ts'

const repeated = (value: string, times: number) => Buffer.from(`[${Array(times).fill(value).join(',')}]`)

describe('the JSON of an answer', () => {
  it('is not read where it has more values than any true one, however short they are', () => {
    for (const value of ['{}', '[]', '0', '""', '{"a":{}}'])
      expect(extractJson(repeated(value, 500_001))).toEqual({ found: false })
  })

  it('is read where it is long and has few, whatever its texts are full of', () => {
    const text = '{[,"'.repeat(1_000_000)
    expect(extractJson(Buffer.from(JSON.stringify({ text })))).toEqual({ found: true, value: { text } })
  })

  it('is read where it has as many as an index with many plugins', () => {
    expect(extractJson(repeated('{"methods":["GET"],"args":{}}', 100_000))).toMatchObject({ found: true })
  })

  it('is the longest of what is printed: `[]` before an answer does not say that nothing is there', () => {
    const answer = [{ id: 5, slug: 'a-post' }]
    for (const noise of ['Array ( [0] => [] )', '[]', '{"debug":true}', '<b>Warning</b>: key {"a": [1]}'])
      for (const text of [`${noise}\n${JSON.stringify(answer)}`, `${JSON.stringify(answer)}\n${noise}`])
        expect(extractJson(Buffer.from(text)), text).toEqual({ found: true, value: answer })
  })

  it('is not read out of one that broke off: an empty list in it would say that nothing is there', () => {
    const posts = [
      { id: 5, slug: 'a', tags: [], title: { raw: 'He wrote "[]", {} and \\' }, meta: [], n: -1.5e3 },
      { id: 6, slug: 'b', tags: [7], acf: { x: null, y: true }, content: { raw: '[]' } },
    ]
    for (const whole of [JSON.stringify(posts), JSON.stringify(posts, null, 2)])
      for (let length = 1; length < whole.length; length++)
        for (const [before, after] of [
          ['', ''],
          ['[]\n', ''],
          ['<b>Notice</b>: {"a": 1\n)\n', ''],
          ['', '\n<!-- cached -->'],
        ]) {
          const text = `${before}${whole.slice(0, length)}${after}`
          // A lone bracket is the beginning of nothing that could be told.
          if (length > 10) expect(extractJson(Buffer.from(text)), text).toEqual({ found: false })
        }
  })
})
