import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countConflicts, mergePost, resolveMerge, topLevelBlocks } from '../../src/delivery/merge.ts'
import { samples, seed } from '../support/random.ts'

const p = (text: string) => `<!-- wp:paragraph -->\n<p>${text}</p>\n<!-- /wp:paragraph -->`
const post = (...texts: string[]) => ({ title: 'T', excerpt: '', content: texts.map(p).join('\n\n') })

const kinds = (galley: string[], site: string[], next: string[]) =>
  mergePost({ galley: post(...galley), site: post(...site), next: post(...next) }).content.map(
    ({ kind }) => kind,
  )

function merged(galley: string[], site: string[], next: string[], choices: ('site' | 'next')[] = []) {
  const texts = { galley: post(...galley), site: post(...site), next: post(...next) }
  return resolveMerge(mergePost(texts), texts, choices)?.content
}

describe('the top-level blocks of a markup', () => {
  it.each([
    ['', []],
    ['plain\n\ntext', ['plain', 'text']],
    [`${p('a')}\n\n<!-- wp:spacer /-->\n${p('b')}`, [p('a'), '<!-- wp:spacer /-->', p('b')]],
    [
      `<!-- wp:group --><div>${p('a')}${p('b')}</div><!-- /wp:group -->loose`,
      [`<!-- wp:group --><div>${p('a')}${p('b')}</div><!-- /wp:group -->`, 'loose'],
    ],
    ['<!-- a remark --><p>a</p>', ['<!-- a remark --><p>a</p>']],
    ['<!-- wp:paragraph --><p>never closed', ['<!-- wp:paragraph --><p>never closed']],
    ['<!-- /wp:paragraph -->', ['<!-- /wp:paragraph -->']],
    [
      'a\n\n<pre>def f():\n\n    x\n\n\n    y</pre>\n\n<p>b</p>',
      ['a', '<pre>def f():\n\n    x\n\n\n    y</pre>', '<p>b</p>'],
    ],
  ])('of %j', (markup, blocks) => {
    expect(topLevelBlocks(markup)).toEqual(blocks)
  })

  it('of a markup that opens hundreds of thousands of comments, or has as many empty lines', () => {
    const comment = `${'<!--'.repeat(400_000)}-->`
    expect(topLevelBlocks(comment)).toEqual([comment])
    expect(topLevelBlocks('a\n\n'.repeat(300_000))).toHaveLength(300_000)
  })
})

describe('a merge', () => {
  it('takes what only one side has changed, also in blocks beside each other', () => {
    expect(kinds(['a', 'b', 'c'], ['a', 'B', 'c'], ['a', 'b', 'C'])).toEqual(['both', 'site', 'next'])
    expect(merged(['a', 'b', 'c'], ['a', 'B', 'c'], ['a', 'b', 'C'])).toBe(post('a', 'B', 'C').content)
  })

  it('takes insertions and removals of both sides', () => {
    expect(merged(['a', 'b', 'c'], ['a', 'x', 'b', 'c'], ['a', 'b'])).toBe(post('a', 'x', 'b').content)
  })

  it('leaves a block to a person that both have changed, or that one has removed', () => {
    expect(kinds(['a', 'b'], ['a', 'B'], ['a', 'beta'])).toEqual(['both', 'conflict'])
    expect(kinds(['a', 'b'], ['a'], ['a', 'beta'])).toEqual(['both', 'conflict'])
    expect(merged(['a', 'b'], ['a', 'B'], ['a', 'beta'], ['site'])).toBe(post('a', 'B').content)
    expect(merged(['a', 'b'], ['a', 'B'], ['a', 'beta'], ['next'])).toBe(post('a', 'beta').content)
    expect(merged(['a', 'b'], ['a', 'B'], ['a', 'beta'])).toBeUndefined()
  })

  it('leaves two insertions at one place to a person, unless they are the same', () => {
    expect(kinds(['a'], ['a', 'x'], ['a', 'y'])).toEqual(['both', 'conflict'])
    expect(kinds(['a'], ['a', 'x'], ['a', 'x'])).toEqual(['both', 'both'])
  })

  it('does not take what kses rewrites for a change', () => {
    expect(kinds(['Cats & dogs'], ['Cats &amp; dogs'], ['Cats & mice'])).toEqual(['next'])
  })

  it('merges title and excerpt as pieces of their own', () => {
    const texts = {
      galley: { ...post('a'), excerpt: 'old' },
      site: { ...post('a'), title: 'Theirs', excerpt: 'theirs' },
      next: { ...post('a'), excerpt: 'ours' },
    }
    const merge = mergePost(texts)
    expect([merge.title[0]?.kind, merge.excerpt[0]?.kind]).toEqual(['site', 'conflict'])
    expect(resolveMerge(merge, texts, ['next'])).toMatchObject({ title: 'Theirs', excerpt: 'ours' })
  })

  it('keeps the notes that the merged text refers to', () => {
    const note = (id: string, content: string) => ({ id, content })
    const text = (ids: string[], ...notes: object[]) => ({
      ...post(...ids.map((id) => `<sup data-fn="${id}"></sup>`)),
      footnotes: JSON.stringify(notes),
    })
    const texts = {
      galley: text(['1'], note('1', 'one')),
      site: text(['1'], note('1', 'one, edited')),
      next: text(['1', '2'], note('1', 'one'), note('2', 'two')),
    }
    const { footnotes } = resolveMerge(mergePost(texts), texts, []) ?? {}
    expect(JSON.parse(footnotes ?? '')).toEqual([note('1', 'one, edited'), note('2', 'two')])
  })

  it('is theirs where only they changed something, and ours where only we did', () => {
    const blocks = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 8 })
    fc.assert(
      fc.property(blocks, blocks, (one, other) => {
        expect(merged(one, other, one)).toBe(post(...other).content)
        expect(merged(one, one, other)).toBe(post(...other).content)
      }),
      { numRuns: samples(2_000), seed },
    )
  })

  it('is all of one side where each conflict is, and nothing else was changed', () => {
    const blocks = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 8 })
    fc.assert(
      fc.property(blocks, blocks, blocks, (galley, site, next) => {
        const merge = mergePost({ galley: post(...galley), site: post(...site), next: post(...next) })
        for (const side of ['galley', 'site', 'next'] as const) {
          const whole = merge.content.map((piece) => piece[side]).filter((text) => text !== '')
          expect(whole.join('\n\n')).toBe(
            { galley: post(...galley), site: post(...site), next: post(...next) }[side].content,
          )
        }
        expect(merged(galley, site, next, Array(countConflicts(merge)).fill('site'))).toBeDefined()
      }),
      { numRuns: samples(2_000), seed },
    )
  })
})
