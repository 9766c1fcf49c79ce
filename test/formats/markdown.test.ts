import { expect, test } from 'vitest'
import { LimitError } from '../../src/contract/limits.ts'
import { formats } from '../../src/formats/index.ts'
import { markdown } from '../../src/formats/markdown.ts'
import { TextReader } from '../../src/formats/text-format.ts'
import { growth, NOT_LINEAR } from '../support/growth.ts'

const blocks = (text: string) => markdown.read(text).content

test.each([
  [
    'formats',
    'a **b** *c* ~~d~~ `e` <u>f</u> [g](https://example.com "t")\\\nh',
    [
      {
        type: 'paragraph',
        content: [
          'a ',
          { type: 'bold', text: 'b' },
          ' ',
          { type: 'italic', text: 'c' },
          ' ',
          { type: 'strike', text: 'd' },
          ' ',
          { type: 'code', text: 'e' },
          ' ',
          { type: 'underline', text: 'f' },
          ' ',
          { type: 'link', url: 'https://example.com', title: 't', text: 'g' },
          { type: 'break' },
          'h',
        ],
      },
    ],
  ],
  [
    'a table with its alignment',
    '| a | b |\n|:-:|--:|\n| c | `d` |',
    [
      {
        type: 'table',
        headers: [
          { content: 'a', align: 'center' },
          { content: 'b', align: 'right' },
        ],
        rows: [
          [
            { content: 'c', align: 'center' },
            { content: [{ type: 'code', text: 'd' }], align: 'right' },
          ],
        ],
      },
    ],
  ],
  [
    'tasks in nested lists',
    '1. a\n   - [x] b\n   - [ ] c',
    [
      {
        type: 'list',
        ordered: true,
        items: [
          {
            text: 'a',
            items: [
              { text: 'b', checked: true },
              { text: 'c', checked: false },
            ],
            ordered: false,
          },
        ],
      },
    ],
  ],
  [
    'footnotes',
    'a[^1] b[^1]\n\n[^1]: c **d**',
    [
      {
        type: 'paragraph',
        content: [
          'a',
          { type: 'footnote', id: 'fn1', text: ['c ', { type: 'bold', text: 'd' }] },
          ' b',
          { type: 'footnote', id: 'fn1', text: ['c ', { type: 'bold', text: 'd' }] },
        ],
      },
    ],
  ],
  [
    'code and formulas',
    '```ts\na\n```\n\n```math\nx^2\n```',
    [
      { type: 'code_block', value: 'a', language: 'ts' },
      { type: 'math', latex: 'x^2' },
    ],
  ],
  [
    'formulas between dollars and as LaTeX sets them apart',
    '$$\nx_1 * y_1 * z\n$$\n\n\\[ a < b \\]\n\nOf $a_1$, $x$, \\(b_2\\) and $$c^2$$.',
    [
      { type: 'math', latex: 'x_1 * y_1 * z' },
      { type: 'math', latex: 'a < b' },
      {
        type: 'paragraph',
        content: [
          'Of ',
          { type: 'math', latex: 'a_1' },
          ', ',
          { type: 'math', latex: 'x' },
          ', ',
          { type: 'math', latex: 'b_2' },
          ' and ',
          { type: 'math', latex: 'c^2' },
          '.',
        ],
      },
    ],
  ],
  [
    'prices and names of variables, which are no formulas',
    'From $5 to $10, US$5=A$8, $HOME/$USER, \\(see below\\), $10 and 20$, `$a_1$`.',
    [
      {
        type: 'paragraph',
        content: [
          'From $5 to $10, US$5=A$8, $HOME/$USER, (see below), $10 and 20$, ',
          { type: 'code', text: '$a_1$' },
          '.',
        ],
      },
    ],
  ],
  ['a picture alone', '![a](b.png "c")', [{ type: 'image', url: 'b.png', alt: 'a', title: 'c' }]],
  [
    'HTML around Markdown',
    '<details><summary>a</summary>\n\n- b\n\n</details>\n\n<p align="center">c</p>',
    [
      { type: 'details', summary: 'a', content: [{ type: 'list', ordered: false, items: [{ text: 'b' }] }] },
      { type: 'paragraph', content: 'c', align: 'center' },
    ],
  ],
  [
    'an alert of GitHub',
    '> [!WARNING]\n> a\n>\n> b',
    [
      {
        type: 'callout',
        kind: 'warning',
        content: [
          { type: 'paragraph', content: 'a' },
          { type: 'paragraph', content: 'b' },
        ],
      },
    ],
  ],
  [
    'callouts of Obsidian, also in a list',
    '- a\n\n  > [!faq]- Why *this*?\n  > b',
    [
      {
        type: 'list',
        ordered: false,
        items: [
          {
            text: 'a',
            blocks: [
              {
                type: 'callout',
                kind: 'faq',
                title: 'Why this?',
                content: [{ type: 'paragraph', content: 'b' }],
              },
            ],
          },
        ],
      },
    ],
  ],
  [
    'headings that a table of contents leads to, and those with a name of their own',
    '[a](#whats-über-all) [b](#b-1)\n\n## What’s über all?\n\n## b\n\n## b\n\n## c {#own}',
    [
      {
        type: 'paragraph',
        content: [
          { type: 'link', url: '#whats-%C3%BCber-all', text: 'a' },
          ' ',
          { type: 'link', url: '#b-1', text: 'b' },
        ],
      },
      { type: 'heading', level: 2, text: 'What’s über all?', anchor: 'whats-über-all' },
      { type: 'heading', level: 2, text: 'b' },
      { type: 'heading', level: 2, text: 'b', anchor: 'b-1' },
      { type: 'heading', level: 2, text: 'c', anchor: 'own' },
    ],
  ],
  [
    'a cell with a list of HTML and a picture',
    '|a|\n|-|\n|<ol><li>b<ul><li>c</li></ul></li></ol>![d](e.png)|',
    [
      {
        type: 'table',
        headers: ['a'],
        rows: [
          [
            [
              '1. ',
              'b',
              { type: 'break' },
              '\u2003• ',
              'c',
              { type: 'break' },
              { type: 'inline_image', url: 'e.png', alt: 'd' },
            ],
          ],
        ],
      },
    ],
  ],
  [
    'a frame that GitHub would show as letters',
    '<iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ"></iframe>',
    [{ type: 'embed', url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ' }],
  ],
])('reads %s', (_, text, content) => expect(blocks(text)).toEqual(content))

test.each([
  [
    'YAML',
    '---\ntitle: "A: b"\nslug: a-b\nexcerpt: c\ncategories: [News, Local]\ntags: d, e\ncover: {src: https://example.com/f.png, alt: g}\ndraft: true\n---\nh',
    {
      meta: {
        title: 'A: b',
        slug: 'a-b',
        description: 'c',
        featured_image: { url: 'https://example.com/f.png', alt: 'g' },
        categories: ['News', 'Local'],
        tags: ['d', 'e'],
      },
      content: [{ type: 'paragraph', content: 'h' }],
      warnings: [
        { code: 'embargo_unread', message: expect.stringContaining('“draft” of the front matter') },
        { code: 'format_note', message: 'Members of the front matter are not used: draft.' },
      ],
    },
  ],
  [
    'TOML, which is not read',
    '+++\ntitle = "a"\n+++\nb',
    {
      meta: {},
      content: [{ type: 'paragraph', content: 'b' }],
      warnings: [
        {
          code: 'format_left_out',
          message: 'The front matter is in TOML, which is not read. Write it in YAML, between lines of ---.',
        },
      ],
    },
  ],
  [
    'an anchor that is not there',
    '---\ntitle: *Tides*\n---\nb',
    {
      meta: {},
      content: [{ type: 'paragraph', content: 'b' }],
      warnings: [
        {
          code: 'format_left_out',
          message: expect.stringMatching(/^The front matter is no YAML and is left out: .*Tides\*/),
        },
      ],
    },
  ],
  [
    'two lines that are none',
    '---\na\n---\nb',
    {
      meta: {},
      content: [
        { type: 'separator' },
        { type: 'heading', level: 2, text: 'a' },
        { type: 'paragraph', content: 'b' },
      ],
      warnings: [],
    },
  ],
])('reads front matter: %s', (_, text, read) => expect(markdown.read(text)).toEqual(read))

test.each([
  ['publishDate: 2140-01-31', true],
  ['date: 2140-01-31T09:00:00+01:00', true],
  ['published: false', true],
  ['published: { toString: null }', false],
  ['draft: { toString: null }', true],
  ['draft: &a [*a]', true],
  ['published: &a [*a]', false],
  ['date: 2020-01-31', false],
  ['published: true', false],
  ['draft: false', false],
])('whether front matter holds a document back: %s', (member, holds) => {
  const codes = markdown.read(`---\ntitle: a\n${member}\n---\nb`).warnings.map(({ code }) => code)
  expect(codes.includes('embargo_unread')).toBe(holds)
})

test.each([
  ['markdown', '# a'],
  ['markdown', 'only words'],
  ['markdown', '<h1 align="center">a</h1>\n\n## b'],
  ['html', '<!-- wp:paragraph --><p>a</p>'],
  ['html', '  <h1>a</h1>\n<p>b</p>'],
  ['html', '<!DOCTYPE html><html>'],
])('is found out: %s', (name, text) => expect(formats.find(({ detect }) => detect(text))?.name).toBe(name))

test.each(['> ', '- ', '1. '])('refuses what is too deep to be read: %s', (sign) => {
  const levels = (count: number) => markdown.read(`${sign.repeat(count)}a`)
  expect(JSON.stringify(levels(20).content)).toContain('"a"')
  expect(() => levels(200)).toThrow(LimitError)
})

test.each([
  '==mark==',
  '~sub~',
  '2^nd^',
  'now :smile:',
  '::: warning',
  '{{< youtube abc >}}',
  '{% include a.html %}',
  'see [[Another page]]',
  '*[HTML]: HyperText',
  'import A from "./a"',
  '{props.title}',
  '<Tab label="npm">one</Tab>',
  'Term\n: Definition',
  '!!! note "Mind"',
  '%%for me alone%%',
  '+---+---+',
  '![a](b.png){width=50%}',
  'as shown [@doe99]',
  'as noted[^1]',
  'as \\begin{equation}',
])('signs of other kinds of Markdown are said, outside code: %s', (text) => {
  const codes = (written: string) => markdown.read(written).warnings.map(({ code }) => code)
  expect(codes(`A\n\n${text}`)).toEqual(['format_left_out'])
  expect(codes(`A\n\n\`\`\`\n${text}\n\`\`\``)).toEqual([])
  expect(codes(`A \`${text}\``)).toEqual([])
})

test.each([
  ['|a|b|\n|-|-|\n|1|2|\n', ''],
  ['|a|b|\n|-|-|\n|1\\|2|3|\n', ''],
  ['> |a|b|\n> |-|-|\n> |1|2|', ''],
  [
    '|a|b|\n|-|-|\n|1|2|extra cell|',
    'A row of a table is wider than its head, and is cut: “extra cell” is left out.',
  ],
  ['> a|b\n> -|-\n> 1|2|3', 'A row of a table is wider than its head, and is cut: “3” is left out.'],
  ['a[^1]\n\n[^1]: b', ''],
  ['a[^1]\n\n[^1]: b\n\n[^1]: c', 'A footnote is left out because a later one has the same name: “[^1]: b”.'],
  ['a\n\n[^1]: some words', 'Nothing refers to a footnote, which is left out: “[^1]: some words”.'],
])('what the parser keeps nothing of is said: %j', (text, said) => {
  expect(markdown.read(text).warnings.map(({ message }) => message)).toEqual(said === '' ? [] : [said])
})

test('signs of other kinds are said of the texts of a document too', () => {
  const texts = new TextReader('markdown')
  texts.blocks(['==a==', { type: 'heading', text: 'now :smile:' }, '|a|\n|-|\n|1|extra|'])
  expect(texts.warnings.list.map(({ message }) => message)).toEqual([
    expect.stringContaining('“==a==”'),
    expect.stringContaining('“:smile:”'),
    expect.stringContaining('“extra” is left out'),
  ])
})

test('takes as long as there are footnotes to which nothing refers', () => {
  const notes = (size: number) => Array.from({ length: size }, (_, key) => `[^${key}]: a`).join('\n\n')
  expect(growth(markdown.read, notes, 300)).toBeLessThan(NOT_LINEAR)
})

test('signs that no kind of Markdown means are none, and long runs of them end', () => {
  const text = 'a == b, c ~ d, 10:30:45, 2^3, a {b} c, array[[0]], x < Y, **b**, note: see.'
  expect(markdown.read(text.replace('array[[0]], ', '')).warnings).toEqual([])
  for (const sign of ['{{', '==', '[[', '^', '~', '<A ', '{%', '*['])
    expect(() => markdown.read(sign.repeat(20_000))).not.toThrow()
})

test.each([
  [
    '```js title="a.js"\nb\n```',
    'format_left_out: What stands with the language of code is left out: “js title="a.js"”.',
  ],
  ['```js {1,3}\nb\n```', 'format_note: What stands with the language of code is left out: “js {1,3}”.'],
  ['a {#b}', 'format_left_out: Signs of other kinds of Markdown are not understood: “{#b}”.'],
])('names what is left out of %s', (text, said) => {
  expect(markdown.read(text).warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([said])
})
