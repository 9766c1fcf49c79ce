import type { Block, Document, Inline } from '../../src/contract/tree.ts'

const text = (value: string): Inline => ({ type: 'text', text: value })
const bold = (value: string): Inline => ({ type: 'bold', children: [text(value)] })
const link = (value: string): Inline => ({
  type: 'link',
  href: 'https://example.com/harbours?page=2',
  children: [text(value)],
})

const sentences = [
  'A harbour lives by the water under its keel and by the road behind its quay. ',
  'Tides leave twice a day, and with them everything that was not made fast. ',
  'The oldest cranes were trodden by people in wheels. ',
  'Whoever counts ships counts promises. ',
  'Ice closes the basin for eleven days & opens it in one night. ',
]

const prose = (from: number, count: number): string =>
  Array.from({ length: count }, (_, index) => sentences[(from + index) % sentences.length]).join('')

const paragraph = (n: number): Block => ({
  type: 'paragraph',
  content: [
    text(prose(n, 2)),
    bold('harbour masters'),
    text(' know this from '),
    link('their own books'),
    text('.'),
  ],
})

const section = (n: number): Block[] => [
  { type: 'heading', level: 2, content: [text(`What the ${n}th quay was built for`)] },
  paragraph(n),
  paragraph(n + 1),
  {
    type: 'list',
    ordered: n % 2 === 0,
    items: [
      { content: [text('Tugs, by day and by night')], lists: [] },
      {
        content: [text('Ferries')],
        lists: [{ type: 'list', ordered: false, items: [{ content: [text('in summer')], lists: [] }] }],
      },
    ],
  },
  paragraph(n + 2),
]

const cells = (values: string[]): Inline[][] => values.map((value) => [text(value)])

const once: Block[] = [
  {
    type: 'image',
    url: 'https://images.example/harbour.png',
    alt: 'A harbour at dawn',
    caption: [text('Ostend, 1890')],
  },
  {
    type: 'table',
    headers: cells(['Port', 'Ships', 'Cranes']),
    rows: ['Ostend', 'Antwerp', 'Ghent', 'Bruges'].map((port) => cells([port, '120', '14'])),
  },
  { type: 'quote', paragraphs: [[text(prose(1, 1).trim())]], citation: [text('A pilot')] },
  {
    type: 'code_block',
    language: 'ts',
    value: 'for (const ship of ships) {\n  if (ship.due < now && !ship.moored) late.push(ship)\n}\n',
  },
]

/** 38 blocks of every kind, 12 KB as JSON: what the service calls an article of 2,000 words. */
export const article: Document = {
  title: 'Harbours',
  blocks: [
    paragraph(0),
    ...[1, 2, 3, 4, 5, 6].flatMap(section),
    ...once,
    { type: 'heading', level: 2, content: [text('What is left')] },
    paragraph(3),
    paragraph(4),
  ],
}

/** The article's blocks again and again, until there are so many. */
export const articleOf = (count: number): Document => ({
  ...article,
  blocks: Array.from({ length: count }, (_, index) => article.blocks[index % article.blocks.length] as Block),
})
