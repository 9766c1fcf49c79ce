import { describe, expect, it } from 'vitest'
import { normaliseDocument } from '../../src/blocks/read.ts'
import { documentDataSchema } from '../../src/contract/webhook.ts'

const text = (value: string) => ({ type: 'text', text: value })

function normalise(data: Record<string, unknown>, content: Record<string, unknown> = {}) {
  return normaliseDocument(
    documentDataSchema.parse({ title: 'T', ...data, content: { content: [], ...content } }),
  )
}

/** The blocks that one block of a payload becomes, and the codes of the warnings. */
function read(...blocks: unknown[]) {
  const { document, warnings } = normalise({}, { content: blocks })
  return { blocks: document.blocks, warnings: warnings.map(({ code }) => code) }
}

const paragraph = (...content: unknown[]) => ({ type: 'paragraph', content })

describe('what the document says of itself', () => {
  it('is read from data before meta', () => {
    const meta = { title: 'Meta', slug: 'the-slug', description: 'From meta' }
    expect(normalise({ title: 'Data', description: 'From data' }, { meta }).document).toMatchObject({
      title: 'Data',
      slug: 'the-slug',
      description: 'From data',
    })
  })

  it('is read from meta where data has none', () => {
    const meta = { title: 'Meta', description: 'From meta' }
    expect(normalise({ title: null }, { meta }).document).toMatchObject({
      title: 'Meta',
      description: 'From meta',
    })
  })

  it('has the title of meta where that of data shows nothing, and is refused where neither shows any', () => {
    expect(normalise({ title: '\u0001' }, { meta: { title: 'Meta' } }).document.title).toBe('Meta')
    expect(() => normalise({ title: '\u0001' })).toThrow('expected a title that is not empty')
  })

  it('has a title of one line, without control characters', () => {
    expect(normalise({ title: ' a\n\u0000 b\t' }).document.title).toBe('a b')
  })
})

describe('the featured image', () => {
  const url = 'https://img.example/a.png'

  it.each([
    ['a URL in data', { featured_image: url }, {}],
    ['an object with url', { featured_image: { url } }, {}],
    ['an object with src', { featured_image: { src: url } }, {}],
    ['an object in content', {}, { featured_image: { url } }],
  ])('is read from %s', (_name, data, content) => {
    expect(normalise(data, content).document.featuredImage).toEqual({ url, alt: '' })
  })

  it('takes its alternative text from the object of the same picture in content', () => {
    const content = { featured_image: { url, alt: 'A harbour' } }
    expect(normalise({ featured_image: url }, content).document.featuredImage?.alt).toBe('A harbour')
  })

  it('takes its alternative text from its copy in the body', () => {
    const content = { content: [{ type: 'image', url, alt: 'A harbour' }] }
    expect(normalise({ featured_image: url }, content).document.featuredImage?.alt).toBe('A harbour')
  })

  it('does not take the alternative text of another picture', () => {
    const content = { featured_image: { url: 'https://img.example/b.png', alt: 'Another' } }
    expect(normalise({ featured_image: url }, content).document.featuredImage?.alt).toBe('')
  })
})

describe('narration', () => {
  const url = 'https://audio.example/a.mp3'

  it.each([
    ['data.audio as a URL', { audio: url }, {}],
    ['data.audio as an object with url', { audio: { url, duration: '2 min 3 sec' } }, {}],
    ['data.audio as an object with src', { audio: { src: url } }, {}],
    ['data.audio_url', { audio_url: url }, {}],
    ['content.audio', {}, { audio: { url } }],
  ])('is read from %s', (_name, data, content) => {
    expect(normalise(data, content).document.audio).toEqual({ type: 'audio', url })
  })
})

describe('inline content', () => {
  it.each([
    ['text', 'text'],
    ['value', 'value'],
    ['content', 'content'],
  ])('has its text under %s', (_name, field) => {
    expect(read(paragraph({ type: 'text', [field]: 'words' })).blocks).toEqual([paragraph(text('words'))])
  })

  it.each([
    ['bold', 'bold'],
    ['strong', 'bold'],
    ['italic', 'italic'],
    ['em', 'italic'],
  ])('%s is %s', (type, kind) => {
    expect(read(paragraph({ type, children: [{ type: 'text', value: 'w' }] })).blocks).toEqual([
      paragraph({ type: kind, children: [text('w')] }),
    ])
  })

  it.each(['url', 'href'])('a link has its target under %s', (field) => {
    expect(read(paragraph({ type: 'link', text: 'w', [field]: 'https://a.example/' })).blocks).toEqual([
      paragraph({ type: 'link', href: 'https://a.example/', children: [text('w')] }),
    ])
  })

  it('a link without text shows its address', () => {
    expect(read(paragraph({ type: 'link', url: 'https://a.example/' })).blocks).toEqual([
      paragraph({ type: 'link', href: 'https://a.example/', children: [text('https://a.example/')] }),
    ])
  })

  it('a link without a target keeps its text, and is said', () => {
    expect(read(paragraph({ type: 'link', text: 'w' }))).toEqual({
      blocks: [paragraph(text('w'))],
      warnings: ['link_without_target'],
    })
  })

  it('code is a string, however it is written', () => {
    expect(read(paragraph({ type: 'inline_code', value: 'a()' })).blocks).toEqual([
      paragraph({ type: 'code', children: [text('a()')] }),
    ])
  })

  it('formats may be flags on a text', () => {
    expect(read(paragraph({ text: 'w', bold: true, italic: true })).blocks).toEqual([
      paragraph({ type: 'bold', children: [{ type: 'italic', children: [text('w')] }] }),
    ])
  })

  it('of an unknown kind keeps its text and its formats, and is said', () => {
    const unknown = { type: 'wavy', children: [{ type: 'bold', text: 'w' }] }
    expect(read(paragraph(unknown))).toEqual({
      blocks: [paragraph({ type: 'bold', children: [text('w')] })],
      warnings: ['inline_unknown'],
    })
  })
})

describe('blocks', () => {
  it.each(['content', 'children', 'text'])('a paragraph has its content under %s', (field) => {
    expect(read({ type: 'paragraph', [field]: [{ type: 'text', text: 'w' }] }).blocks).toEqual([
      paragraph(text('w')),
    ])
  })

  it('a string alone is a paragraph', () => {
    expect(read('words')).toEqual({ blocks: [paragraph(text('words'))], warnings: [] })
  })

  it('a picture amid a paragraph stands between two', () => {
    const image = { type: 'image', url: 'https://img.example/a.png', alt: 'A' }
    expect(read(paragraph('before', image, 'after')).blocks).toEqual([
      paragraph(text('before')),
      image,
      paragraph(text('after')),
    ])
  })

  it.each([[2], ['2'], ['h2'], ['H2']])('a heading has its level as %j', (level) => {
    expect(read({ type: 'heading', level, text: 'w' }).blocks).toEqual([
      { type: 'heading', level: 2, content: [text('w')] },
    ])
  })

  it('a heading beyond six is said', () => {
    expect(read({ type: 'heading', level: 9, text: 'w' })).toMatchObject({
      blocks: [{ level: 6 }],
      warnings: ['heading_level'],
    })
  })

  it('types are read in any case style', () => {
    const types = ['codeBlock', 'code-block', 'CODE_BLOCK', 'code_block']
    expect(read(...types.map((type) => ({ type, value: 'x' }))).blocks).toEqual(
      types.map(() => ({ type: 'code_block', value: 'x' })),
    )
  })

  it('a misspelled member is named once, and what is a sender’s own is left alone', () => {
    const picture = { type: 'image', url: 'https://example.com/a.png', widht: 20, imageId: 3, _width: 1 }
    const list = { type: 'list', items: ['a'], orderd: true, styles: {}, series: 'tides', size: 'LARGE' }
    const { warnings } = normalise({}, { content: [picture, picture, list] })
    expect(warnings).toEqual([
      {
        code: 'member_unknown',
        message: 'Block 1 (image): "widht" is not known here: did you mean "width"?',
      },
      {
        code: 'member_unknown',
        message: 'Block 3 (list): "orderd" is not known here: did you mean "ordered"?',
      },
    ])
  })

  it('a word that is a slip away from a member, and another one, is not taken for it', () => {
    const members = { weight: 600, date: '2030', line: 3, next: 'a' }
    const table = { type: 'table', rows: [['a']], test: 1, date: '2030' }
    const picture = { type: 'image', url: 'https://example.com/a.png', alt: 'A', ...members }
    expect(normalise({}, { content: [picture, table] }).warnings).toEqual([])
  })

  it('a word of a setting that another member says is no text of the post, and is named', () => {
    const { document, warnings } = normalise(
      {},
      {
        content: [
          { type: 'list', ordered: true, style: 'bullet', items: ['a'] },
          { type: 'code_block', value: 'b', language: 'ts', lang: 'typescript' },
        ],
      },
    )
    expect(document.blocks).toMatchObject([
      { type: 'list', ordered: true },
      { type: 'code_block', language: 'ts' },
    ])
    expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'member_unknown: Block 1 (list): the "style" of this list is not read, since another member says it: “bullet”',
      'member_unknown: Block 2 (code_block): the "lang" of this code_block is not read, since another member says it: “typescript”',
    ])
  })

  it('a diagram stands as its code, and is said', () => {
    expect(read({ type: 'code_block', language: 'mermaid', value: 'graph TD' })).toMatchObject({
      blocks: [{ type: 'code_block', value: 'graph TD' }],
      warnings: ['format_changed'],
    })
  })

  it('misspelled members of items and cells are named', () => {
    const list = { type: 'list', items: [{ text: 'a', chekced: true }] }
    const table = { type: 'table', rows: [[{ content: 'a', colspann: 2, aling: 'right' }]] }
    expect(normalise({}, { content: [list, table] }).warnings.map(({ message }) => message)).toEqual([
      'Block 1 (list): "chekced" is not known here: did you mean "checked"?',
      'Block 2 (table): "colspann" is not known here: did you mean "colspan"?',
      'Block 2 (table): "aling" is not known here: did you mean "align"?',
    ])
  })

  it.each([
    ['words', { type: 'paragraph', text: 'a', subtext: 'High water' }, 'subtext', 'High water'],
    ['an address', { type: 'quote', text: 'a', url: 'https://b.example/' }, 'url', 'https://b.example/'],
    [
      'words of an item',
      { type: 'paragraph', content: ['a', { text: 'b', hint: 'At noon' }] },
      'hint',
      'At noon',
    ],
    ['words of a cell', { type: 'table', rows: [[{ text: 'b', hint: 'At noon' }]] }, 'hint', 'At noon'],
    [
      'a button',
      { type: 'callout', text: 'a', more: { text: 'Read', url: 'https://b.example/' } },
      'more',
      'Read',
    ],
  ])('%s under a name that is not read are a loss that names them', (_what, block, name, words) => {
    const { warnings } = normalise({}, { content: [block] })
    expect(warnings).toMatchObject([
      {
        code: 'text_left_out',
        message: expect.stringMatching(`the "${name}" of .* is left out: “${words}”`),
      },
    ])
  })

  it.each([
    ['role', 'CEO'],
    ['kicker', 'Opinion'],
    ['price', '$49'],
    ['stand', '編集長'],
  ])('one word under a name that is not read, as “%s”, is named', (name, word) => {
    const { warnings } = normalise({}, { content: [{ type: 'quote', value: 'We ship.', [name]: word }] })
    expect(warnings).toEqual([
      {
        code: 'member_unknown',
        message: `Block 1 (quote): the "${name}" of this quote is not read and is left out: “${word}”`,
      },
    ])
  })

  it.each([
    ['what is said elsewhere', { type: 'paragraph', text: 'At noon', plain: 'At noon' }],
    [
      'a name of the sender’s own',
      { type: 'paragraph', text: 'a', tone: 'formal', imagePrompt: 'A boat at sea' },
    ],
  ])('%s is no loss', (_what, block) => {
    expect(normalise({}, { content: [block] }).warnings.map(({ code }) => code)).not.toContain(
      'text_left_out',
    )
  })

  it.each(['herf', 'target', 'uri'])('the address of a link is read under %s', (name) => {
    const href = 'https://example.com/a'
    const content = [paragraph({ type: 'link', text: 'a', [name]: href } as never)]
    const { document, warnings } = normalise({}, { content })
    expect(document.blocks).toEqual([paragraph({ type: 'link', href, children: [text('a')] })])
    expect(warnings).toEqual([])
  })

  it('a picture without an address keeps its words, and is said', () => {
    expect(read({ type: 'image', alt: 'A harbour' })).toEqual({
      blocks: [paragraph(text('A harbour'))],
      warnings: ['image_without_url'],
    })
  })

  it('an unknown block keeps its text as a paragraph, and is said', () => {
    expect(read({ type: 'unheard_of', style: 'info', title: 'Note', text: 'Mind this' })).toEqual({
      blocks: [paragraph({ type: 'bold', children: [text('Note')] }), paragraph(text('Mind this'))],
      warnings: ['block_unknown'],
    })
  })

  it('an unknown block with an address keeps it as a link', () => {
    expect(read({ type: 'podcast_player', url: 'https://v.example/1' }).blocks).toEqual([
      paragraph({ type: 'link', href: 'https://v.example/1', children: [text('https://v.example/1')] }),
    ])
  })

  it('an unknown block with nothing to show is left out, and is said', () => {
    expect(read({ type: 'spacer' })).toEqual({ blocks: [], warnings: ['block_left_out'] })
  })

  it('names like those of every object are not block types', () => {
    expect(read({ type: 'constructor', text: 'w' })).toEqual({
      blocks: [paragraph(text('w'))],
      warnings: ['block_unknown'],
    })
  })

  it('a warning says which block it is about', () => {
    const { warnings } = normalise({}, { content: ['first', { type: 'spacer' }] })
    expect(warnings[0]?.message).toMatch(/^Block 2 \(spacer\): /)
  })
})
