import { TokenType, tokenize } from '@csstools/css-tokenizer'
import { describe, expect, it } from 'vitest'
import { sanitizeCss } from '../../../src/wordpress/sanitize-css.ts'
import { samples, seed } from '../../support/random.ts'

/** Words of what is left, as a browser reads it. */
const tokensOf = (css: string) => tokenize({ css })

const squeezed = (css: string): string =>
  sanitizeCss(css)
    .replace(/\{\}\n$/, '')
    .replace(/\s+/g, ' ')
    .trim()

/** What of a style sheet would load or run, were it used. */
const harmIn = (css: string): string[] =>
  tokensOf(css).flatMap((token) => {
    const value = String((token[4] as { value?: unknown } | undefined)?.value ?? '').toLowerCase()
    if (token[0] === TokenType.URL || token[0] === TokenType.BadURL) return [token[1]]
    if (
      token[0] === TokenType.Function &&
      /^(url|src|image|image-set|element|paint|expression|cross-fade)$/.test(value)
    )
      return [token[1]]
    if (token[0] === TokenType.AtKeyword && /^(import|font-face|charset|namespace|document)$/.test(value))
      return [token[1]]
    return []
  })

describe('a style sheet without what loads', () => {
  it.each([
    ['a rule', 'p { color: red; margin: calc(1px + var(--x)) }'],
    ['rules within conditions', '@media (min-width: 10px) { @supports (display: grid) { a > b { x: y } } }'],
    [
      'layers, containers, frames',
      '@layer a, b; @container (width > 1px) { p { x: y } } @keyframes k { to { opacity: 1 } }',
    ],
    [
      'selectors of all kinds',
      ':where(.is-layout-flow) > :first-child:not([a="b"], .c\\:d)::before { content: "–" }',
    ],
    ['variables', ':root { --wp--preset--font-family--manrope: Manrope, sans-serif }'],
  ])('keeps %s', (_, css) => {
    expect(squeezed(css)).toBe(css)
  })

  it.each([
    ['@import "https://x.test/a.css"; p { x: y }', 'p { x: y }'],
    ['@import url(https://x.test/a.css) screen; p { x: y }', 'p { x: y }'],
    ['@\\69mport "https://x.test/"; p { x: y }', 'p { x: y }'],
    ['@font-face { font-family: a; src: url(a.woff2) } p { x: y }', 'p { x: y }'],
    ['@charset "utf-8"; @namespace url(x); p { x: y }', 'p { x: y }'],
    ['@media print { @import "x" } p { x: y }', '@media print { } p { x: y }'],
    ['p { background: url(https://x.test/p) no-repeat red }', 'p { background: none no-repeat red }'],
    ['p { background: URL("https://x.test/p") }', 'p { background: none }'],
    ['p { background: u\\72l(https://x.test/p) }', 'p { background: none }'],
    ['p { background: u/**/rl(x) }', 'p { background: u rl(x) }'],
    ['p { background: [u)rl(x)] }', 'p { background: [u rl(x)] }'],
    ['p { background: u<!--rl(x) }', 'p { background: u rl(x) }'],
    ['p { background: image-set("https://x.test/p" 1x, url(b) 2x) }', 'p { background: none }'],
    ['p { --x: url(https://x.test/p); background: var(--x) }', 'p { --x: none ; background: var(--x) }'],
    ['p { width: expression(alert(1)) }', 'p { width: none }'],
    ['p { background: url(https://x.test/p', 'p { background: none }'],
    ['p { behavior: url("x"); }} q { x: y }', 'p { behavior: none ; } q { x: y }'],
  ])('takes it out of %s', (css, left) => {
    expect(squeezed(css)).toBe(left)
  })

  it('writes a text that would end a style element as escapes', () => {
    expect(sanitizeCss('p { content: "</style><script>x</script>" }')).not.toContain('<')
  })

  it('ends what is open at its end, so that another may follow', () => {
    expect(squeezed('@media (x { a { content: "b')).toBe('@media (x { a { content: "b" }})')
    expect(squeezed('p { x: y /* ')).toBe('p { x: y }')
    expect(squeezed('} ) ] p { x: y }')).toBe('p { x: y }')
  })

  it('leaves nothing that loads, whatever is put together', () => {
    const pieces = [
      'url(',
      'u',
      '\\75 rl(',
      'rl(x)',
      '@import',
      '@im',
      'port',
      '"',
      "'",
      '\\',
      '\n',
      '/*',
      '*/',
    ]
    pieces.push(
      '{',
      '}',
      '(',
      ')',
      '[',
      ']',
      ';',
      '<!--',
      '-->',
      '\0',
      'src(',
      'image-set(',
      ' ',
      '@media',
      'a',
    )
    let state = seed
    const next = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((state / 2_147_483_648) * below)
    }
    for (let round = 0; round < samples(10_000); round++) {
      const css = Array.from({ length: 1 + next(25) }, () => pieces[next(pieces.length)]).join('')
      const left = sanitizeCss(css)
      expect(harmIn(left), JSON.stringify(css)).toEqual([])
      expect(harmIn(`${left}\np{x:y}`), JSON.stringify(css)).toEqual([])
      // Another that follows is whole.
      expect(sanitizeCss(`${left}p{x:y}`).endsWith('{}\np{x:y}\n{}\n'), JSON.stringify(css)).toBe(true)
    }
  })
})
