import { describe, expect, it } from 'vitest'
import { patternsOf, sourcesIn } from './find-patterns.ts'
import { complaint } from './judge.ts'

/** Milliseconds in which a search ends on any machine. */
const LONG = 60_000

const inSource = (text: string) => patternsOf('sample.ts', text)

describe('every regular expression of the source', () => {
  it('takes time that grows with the text alone', { timeout: 300_000 }, async () => {
    const patterns = sourcesIn('src').flatMap((file) => patternsOf(file))
    // The search for them has not gone blind.
    expect(patterns.length).toBeGreaterThan(80)
    const bad: string[] = []
    const known = new Map<string, string | undefined>()
    for (const pattern of patterns) {
      const text = `/${pattern.source}/${pattern.flags}`
      if (!known.has(text)) known.set(text, await complaint(pattern))
      const wrong = known.get(text)
      if (wrong !== undefined) bad.push(`${pattern.at} ${text}: ${wrong}`)
    }
    expect(bad).toEqual([])
  })
})

describe('what would be a bad one', { timeout: 2 * LONG }, () => {
  it.each([
    ['looked for from every place', String.raw`text.replace(/\/+$/, '')`],
    ['applied everywhere', 'text.matchAll(/<link\\b[^>]*>/gi)'],
    ['behind a look-ahead', 'text.replace(/a(?=[a-z]*;)/g, "")'],
    ['that looks behind', String.raw`const unwritable = /\[(?<!^[a-z]+:\/\/[^/?#]*)|[\s<>]/giu`],
    ['inside a schema', 'z.string().regex(/^(a+)+$/)'],
    ['that a string is split by', String.raw`name.split(/\s+>\s+/)`],
    ['made of a string', "new RegExp('(a|a)*b')"],
    ['made of constant parts', `const run = String.raw\`\\s+\`\nconst end = RegExp(\`\${run}$\`, 'g')`],
    ['made of a string by the method', String.raw`text.match('\\s+$')`],
  ])('is found where it is %s', async (_where, text) => {
    const [pattern] = inSource(text)
    expect(pattern && (await complaint(pattern, LONG))).toEqual(expect.any(String))
  })

  it('is not overlooked where it is made of what is not constant', () => {
    expect(() => inSource('const pattern = (word: string) => new RegExp(word)')).toThrow('not constant')
  })

  it('is nothing that is linear', async () => {
    const [pattern] = inSource("text.replace(/&(?=(?:[a-z0-9]+|#[0-9]+);)/gi, '')")
    expect(pattern && (await complaint(pattern, LONG))).toBeUndefined()
  })
})
