import { expect, test } from 'vitest'
import type { WireBlock } from '../../../src/contract/generation/results.ts'
import { narrationText } from '../../../src/generation/pipeline/speech/speech.ts'

const read = (content: WireBlock[], title = 'Harbours') =>
  narrationText({
    title,
    content: {
      type: 'document',
      version: '1.0',
      meta: { title, slug: 'harbours', description: '', word_count: 1, reading_time: '1 min read' },
      content,
    },
  })

test('title, headings, paragraphs, lists and quotes are read, each as a sentence', () => {
  expect(
    read([
      { type: 'heading', level: 2, text: 'Why they matter' },
      {
        type: 'paragraph',
        content: [
          { type: 'text', text: 'Ships need ' },
          { type: 'bold', text: 'depth' },
          { type: 'text', text: ', says ' },
          { type: 'link', text: 'the port', url: 'https://port.example/depth?x=1' },
          { type: 'text', text: '!' },
        ],
      },
      { type: 'list', ordered: false, items: ['Cranes', 'Quays.'] },
      { type: 'list', ordered: true, items: ['Arrive', 'Unload'] },
      { type: 'quote', value: 'The sea is patient' },
    ]),
  ).toBe(
    'Harbours.\n\nWhy they matter.\n\nShips need depth, says the port!\n\nCranes.\nQuays.\n\n1: Arrive.\n2: Unload.\n\nThe sea is patient.',
  )
})

test('of a table each row is a sentence, with the heads of its columns', () => {
  const table: WireBlock = {
    type: 'table',
    headers: ['Port', 'Depth', ''],
    rows: [
      ['Kiel', '9 m', 'old'],
      ['Hull', '-', ''],
    ],
  }
  expect(read([table])).toBe('Harbours.\n\nPort: Kiel, Depth: 9 m, old.\nPort: Hull.')
})

test('code and pictures are left out, and the title is not read twice', () => {
  expect(
    read([
      { type: 'heading', level: 1, text: 'Harbours' },
      { type: 'code_block', language: 'js', value: 'alert(1)' },
      { type: 'image', url: 'https://x.example/a.png', alt: 'A quay', image_type: 'content' },
      { type: 'paragraph', content: [{ type: 'text', text: 'End.' }] },
    ]),
  ).toBe('Harbours.\n\nEnd.')
})

test('a text without spaces gets the full stop of its script', () => {
  expect(read([{ type: 'heading', level: 2, text: '深さ' }], '港')).toBe('港。\n\n深さ。')
})

test('a block inside another is read in its place, whatever their types', () => {
  const wire = [
    { type: 'details', summary: 'Why twice', content: [{ type: 'quote', value: 'Two bulges' }] },
    { type: 'callout', title: 'Mind', content: [{ type: 'list', ordered: true, start: 3, items: ['Ebb'] }] },
  ]
  expect(read(wire as unknown as WireBlock[])).toBe('Harbours.\n\nWhy twice.\nTwo bulges.\n\nMind.\n3: Ebb.')
})
