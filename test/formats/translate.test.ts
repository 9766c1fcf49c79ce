import { describe, expect, test } from 'vitest'
import { contentFormats } from '../../src/contract/delivery.ts'
import { readWebhook } from '../../src/contract/webhook.ts'
import { formats } from '../../src/formats/index.ts'
import { warnOfMarkup } from '../../src/formats/plain-text.ts'
import { translate } from '../../src/formats/translate.ts'
import { createTranslator, translateWebhook } from '../../src/formats/translate-webhook.ts'
import { renderSettingsSchema } from '../../src/render/options.ts'
import { renderDocument } from '../../src/render/render.ts'

const webhook = (data: object, delivery: object = {}) => ({
  event: 'document.completed',
  id: '0d9f3c1e-6a57-4c55-9c8b-3f1f6c9f2a10',
  data,
  delivery: { id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11', ...delivery },
})

async function read(data: object, delivery: object = {}, defaults = {}) {
  const read = await readWebhook(webhook(data, delivery), { defaults })
  if (!read.ok) return read
  const { event, normalised, unreadable } = read
  if (normalised === undefined || event.event !== 'document.completed') throw new Error('no document')
  const settings = renderSettingsSchema.parse({})
  const { markup } = renderDocument(normalised.document, { format: 'classic', media: new Map(), settings })
  const { title, slug, description } = normalised.document
  return {
    title,
    slug,
    description,
    markup,
    delivery: event.delivery,
    warnings: normalised.warnings,
    unreadable,
  }
}

test('a name of a format has an adapter, and an adapter a name', () =>
  expect(contentFormats).toEqual(expect.arrayContaining(formats.map(({ name }) => name))))

describe('a webhook with a foreign document', () => {
  test('is found out to be Markdown, and its front matter is used', async () => {
    const content =
      '---\ntitle: Tides\nslug: tides\nexcerpt: Twice a day\ntags: [sea]\n---\n# Tides\n\nThe **sea** rises.'
    expect(await read({ content })).toMatchObject({
      ...{ title: 'Tides', slug: 'tides', description: 'Twice a day' },
      markup: '<p>The <strong>sea</strong> rises.</p>',
      delivery: { tags: ['sea'], categories: [] },
      warnings: [],
    })
  })

  test('what the sender says of it goes first', async () => {
    const content = '---\ntitle: A\ntags: [sea]\n---\n# B\n\nC'
    expect(await read({ title: 'D', content }, { metadata: { tags: [] } })).toMatchObject({
      title: 'D',
      markup: '<h2>B</h2>\n\n<p>C</p>',
      delivery: { tags: [] },
    })
  })

  test('has its first heading as its title where there is no other', async () =>
    expect(await read({ content: '<h1>A</h1><p>b</p>' })).toMatchObject({ title: 'A', markup: '<p>b</p>' }))

  test.each([
    ['# A\n\nb', 'A', undefined],
    [
      '![](https://example.com/a.png)\n\n# Why *tides* turn\n\nb',
      'Why tides turn',
      'first heading of level 1',
    ],
    ['The sea rises.', 'How to read a tide table', 'file’s name'],
    ['---\ntitle: B\n---\nThe sea rises.', 'B', undefined],
  ])('that is %j has the title “%s”', async (content, title, what) => {
    const { warnings, ...document } = (await read({
      content,
      file_name: 'how-to_read a-tide-table.md',
    })) as Extract<Awaited<ReturnType<typeof read>>, { title: string }>
    expect(document).toMatchObject({ title })
    const message = `The document names no title, so its ${what} is used: “${title}”.`
    expect(warnings).toEqual(what === undefined ? [] : [{ code: 'format_note', message }])
  })

  test.each([
    ['<p>The <b>un</b>steady sea</p><p>rises', 'The unsteady sea'],
    [
      'The sea rises twice a day, and nobody who lives beside it is surprised by that at all',
      'The sea rises twice a day, and nobody who lives beside it is…',
    ],
    ['- one\n- two', 'one'],
    ['> So it is said', 'So it is said'],
    ['|a|b|\n|-|-|\n|1|2|', 'a'],
    [
      {
        type: 'doc',
        content: [{ type: 'image', attrs: { src: 'https://example.com/a.png', alt: 'A buoy' } }],
      },
      'A buoy',
    ],
  ])('without a name, heading and file has its first words as its title: %j', async (content, title) => {
    const found = { title, warnings: [{ code: 'format_note' }] }
    expect(await read({ content })).toMatchObject(found)
  })

  test('is read as its source says, and as the webhook says before that', async () => {
    const data = { title: 'A', content: '<p>*b*</p>' }
    expect(await read(data, {}, { content_format: 'markdown' })).toMatchObject({ markup: '<p>*b*</p>' })
    expect(await read({ title: 'A', content: '*b*' }, { content_format: 'html' })).toMatchObject({
      markup: '<p>*b*</p>',
    })
  })

  test('may be JSON in a string', async () => {
    const content = JSON.stringify({
      type: 'doc',
      content: [{ type: 'paragraph', content: [{ type: 'text', text: 'b' }] }],
    })
    expect(await read({ title: 'A', content })).toMatchObject({ markup: '<p>b</p>' })
  })

  test.each([
    ['a Delta of Quill', { ops: [{ insert: 'a' }] }],
    ['raw content of Draft.js', { blocks: [{ text: 'a' }], entityMap: {} }],
    ['nodes of Slate', [{ type: 'paragraph', children: [{ text: 'a' }] }]],
    ['blocks of BlockNote', [{ type: 'paragraph', props: {}, content: [], children: [] }]],
    ['RTF', '{\\rtf1 a}'],
    ['a Word document or another archive', 'UEsDBBQABgAIAAAAIQ'],
  ])('is known and not read: %s', async (name, content) =>
    expect(await read({ content })).toMatchObject({ unreadable: name }),
  )

  test('of Notion is read, also where its first block holds others', async () => {
    const text = (content: string) => ({ rich_text: [{ type: 'text', text: { content } }] })
    const inside = { object: 'block', type: 'paragraph', paragraph: text('c') }
    const toggle = { object: 'block', type: 'toggle', toggle: text('b'), children: [inside] }
    expect(await read({ title: 'A', content: [toggle] })).toMatchObject({
      markup: '<details><summary>b</summary><p>c</p></details>',
      unreadable: undefined,
    })
  })

  test('that takes too long is refused', async () => {
    const thread = createTranslator(256, 20)
    const translated = (content: string) => translateWebhook({}, { title: 'A', content }, {}, thread)
    // Loading the program has a time of its own.
    await translated('a').catch(() => undefined)
    await expect(translated('a|b\n-|-\n'.repeat(100_000))).rejects.toMatchObject({
      ...{ code: 'document_too_slow', path: 'data.content' },
      cause: { message: expect.stringContaining('It took longer than') },
    })
    await thread.end()
  })

  test('of a format that nobody knows is refused', async () =>
    expect(await read({ title: 'A', content: 'b' }, { content_format: 'markdwon' })).toMatchObject({
      ok: false,
      issues: [{ path: 'data.content' }, { path: 'delivery.content_format' }],
    }))
})

describe('strings of our format', () => {
  const document = (content: unknown[]) => ({ title: '**A** &amp; B', content: { content } })
  const translated = (textFormat: 'markdown' | 'html', content: unknown[]) =>
    translate(document(content), { textFormat }).data as { title: string; content: { content: unknown[] } }

  test('are read as Markdown: blocks where a paragraph stands, running text elsewhere', () => {
    const { title, content } = translated('markdown', [
      { type: 'paragraph', content: '## H\n\n- one\n- **two**' },
      {
        type: 'paragraph',
        content: [
          'See ',
          { type: 'bold', text: 'x' },
          ' *and* ',
          { type: 'text', text: '[y](https://example.com)' },
        ],
      },
      { type: 'list', items: ['a `b`', { text: '~~c~~' }] },
      { type: 'table', headers: ['*a*'], rows: [['b']] },
      { type: 'code_block', value: '**kept**' },
    ])
    expect(title).toBe('A & B')
    expect(content.content).toEqual([
      { type: 'heading', level: 2, text: 'H' },
      { type: 'list', ordered: false, items: [{ text: 'one' }, { text: [{ type: 'bold', text: 'two' }] }] },
      {
        type: 'paragraph',
        content: [
          'See ',
          { type: 'bold', text: 'x' },
          ' ',
          { type: 'italic', text: 'and' },
          ' ',
          { type: 'link', url: 'https://example.com', text: 'y' },
        ],
      },
      {
        type: 'list',
        items: [['a ', { type: 'code', text: 'b' }], { text: [{ type: 'strike', text: 'c' }] }],
      },
      { type: 'table', headers: [[{ type: 'italic', text: 'a' }]], rows: [['b']] },
      { type: 'code_block', value: '**kept**' },
    ])
  })
})

describe('plain text that looks like markup', () => {
  const codes = (text: string) => warnOfMarkup([{ type: 'paragraph', content: text }]).map(({ code }) => code)

  test.each([
    'Some **bold** words',
    'a [link](https://example.com) there',
    '## Heading\n\ntext',
    '# Heading\n\ntext',
    '- one\n- two',
    '1. one\n2. two',
    '| a | b |\n|---|---|\n| c | d |',
    'run `npm install` now',
    'a ~~struck~~ price',
    '*really* good',
    'an _important_ word',
    '![a](/b.png)',
    '```\ncode\n```',
    'said[^1]',
    '__very much__ so',
  ])('Markdown: %s', (text) => expect(codes(text)).toEqual(['looks_like_markdown']))

  test.each([
    '<strong>bold</strong>',
    'a<br>b',
    '<p class="x">a',
    'see <a href="https://example.com">this</a>',
    '<img src="a.png">',
  ])('HTML: %s', (text) => expect(codes(text)).toEqual(['looks_like_html']))

  test.each(['AT&amp;T', 'a&nbsp;b', '&#8217;s', '&#x27;s'])('entities: %s', (text) =>
    expect(codes(text)).toEqual(['entity_in_text']),
  )

  test.each([
    '2 * 3 * 4',
    '2*3*4',
    'a_b_c',
    'snake_case_name and other_name',
    'x < y',
    'x < y and y > z',
    'if (a<b && c>d)',
    'AT&T',
    'R&D; Q&A',
    '# of users',
    '> 5 km',
    '5 > 3',
    'price* and terms*',
    '(*) and (*)',
    'f*** you',
    '__init__ and __main__',
    'Array<string> and Map<a, b>',
    'C# and F#',
    'a - b - c',
    '- a single line',
    '1. only one',
    '*.ts and *.js',
    '~5 and ~6',
    "rock 'n' roll `til dawn",
    "`a' and `b'",
    'https://example.com/a_b_c?x=1&lt=2',
    '[1] and [2] (see below)',
    'f[x](y)',
    'a | b | c',
    ':-) ;-) *_*',
    '$5_000',
    'regex [^a-z]',
    '100 % & more',
    'the i-th <item>',
  ])('but not ordinary prose: %s', (text) => expect(codes(text)).toEqual([]))

  test('and neither code nor addresses', () =>
    expect(
      warnOfMarkup([
        { type: 'code_block', value: '**a** <b>c</b> &amp;' },
        {
          type: 'paragraph',
          content: [
            'a ',
            { type: 'code', text: '**a**' },
            { type: 'link', url: 'https://example.com/?a&amp;b', text: 'c' },
          ],
        },
      ]),
    ).toEqual([]))

  test('each kind is named once, with examples', () => {
    const [warning] = warnOfMarkup(['**a**', '**b**', '**c**', '**d**'])
    expect(warning?.message).toBe(
      '4 texts have what looks like Markdown, and readers see its signs: “**a**”, “**b**”, “**c**”. If it is Markdown, say so in delivery.text_format.',
    )
  })
})
