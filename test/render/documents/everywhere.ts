import type { Document } from '../../../src/blocks/document.ts'
import type { Block, Inline } from '../../../src/blocks/index.ts'

const paragraphs = (...contents: Inline[][]): Block[] =>
  contents.map((content) => ({ type: 'paragraph', content }))

/** A document that has one text in every place where a document can have text. */
export function everywhere(value: string): Document {
  const text: Inline = { type: 'text', text: value }
  const formatted: Inline[] = [
    { type: 'text', text: 'before ' },
    { type: 'bold', children: [text] },
    { type: 'italic', children: [text] },
    { type: 'code', children: [{ type: 'text', text: value }] },
    { type: 'link', href: `https://example.com/?a=${value}`, title: value, children: [text] },
    { type: 'text', text: ' after' },
  ]
  return {
    title: 'Title',
    blocks: [
      { type: 'heading', level: 2, content: [text], anchor: value },
      { type: 'paragraph', content: [text] },
      { type: 'paragraph', content: formatted },
      {
        type: 'list',
        ordered: false,
        items: [
          {
            content: [text],
            blocks: [{ type: 'list', ordered: true, items: [{ content: formatted, blocks: [] }] }],
          },
        ],
      },
      { type: 'table', headers: [[text]], rows: [[formatted], [[text]]], caption: [text] },
      { type: 'quote', content: paragraphs([text], formatted), citation: [text] },
      { type: 'code_block', language: value, value: `${value}\n  ${value}` },
      {
        type: 'image',
        url: `https://example.com/a.png?b=${value}`,
        alt: value,
        title: value,
        caption: formatted,
      },
      { type: 'audio', url: `https://example.com/a.mp3?b=${value}` },
    ],
  }
}
