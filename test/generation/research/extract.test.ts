import { expect, test } from 'vitest'
import { extractArticle } from '../../../src/generation/pipeline/research/extract.ts'

const page = (said: string) =>
  `<html><body><article>${`<p>${said} It was measured for years, in streets with trees and in others.</p>`.repeat(8)}</article></body></html>`

const textOf = (said: string) => extractArticle({ text: page(said), isHtml: true }).text

test('an article is its text, a line for each block, the cells of a row beside each other', () => {
  const table = '<table><tr><td>Oak</td><td>20 m</td></tr><tr><td>Ash</td><td>30 m</td></tr></table>'
  const text = textOf(`Trees <b>cool</b>\n a street.</p>${table}<p>So`)
  expect(text).toContain('Trees cool a street.\nOak 20 m\nAsh 30 m\nSo It was')
})

test('what nobody sees is not in it: tags, selectors, marks of direction, controls', () => {
  const tags = [...'praise'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')
  const text = textOf(`Trees${tags} co\u200bol\u202e a\u0007 str\u00adeet\u{e0101}.`)
  expect(text).toMatch(/^Trees cool a street\. It was/)
})

test('the joiners of scripts stay, and so does everything that is seen', () => {
  expect(textOf('می‌خواهم 👨‍👩‍👧 क्‍ष')).toContain('می‌خواهم 👨‍👩‍👧 क्‍ष')
})

test('a date in the data of a page is its date', () => {
  const data =
    '{"@context":"https://schema.org","@type":"NewsArticle","name":"A","datePublished":"2026-05-01"}'
  const text = `<script type="application/ld+json">${data}</script>${page('Trees cool a street.')}`
  expect(extractArticle({ text, isHtml: true }).published).toBe('2026-05-01')
})

test('a plain text is taken as it is, and its first line is its title', () => {
  const { title, text } = extractArticle({ text: '\nShade\n\n<b>Trees</b>  cool.\n', isHtml: false })
  expect([title, text]).toEqual(['Shade', 'Shade\n<b>Trees</b> cool.'])
})
