import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { normaliseDocument } from '../../src/blocks/read.ts'
import type { WireBlock } from '../../src/contract/generation/results.ts'
import type { Snapshot } from '../../src/delivery/ledger/state.ts'
import { sharesNoLine, textHash } from '../../src/delivery/post-snapshot.ts'
import { warnOfMarkup } from '../../src/formats/plain-text.ts'
import { sanitiseHtml } from '../../src/generation/pipeline/research/extract.ts'
import { languageIndependentStarts } from '../../src/generation/pipeline/sentences.ts'
import { readJson } from '../../src/generation/pipeline/text/ask-model.ts'
import { normalisedWords, toBlocks } from '../../src/generation/pipeline/text/blocks.ts'
import type { Draft } from '../../src/generation/pipeline/text/draft.ts'
import { createCitations } from '../../src/generation/pipeline/text/inlines.ts'
import { parseMarkdownBlocks } from '../../src/generation/pipeline/text/markdown.ts'
import { requestedSections } from '../../src/generation/pipeline/text/requested-count.ts'
import { findRun } from '../../src/generation/pipeline/text/revise.ts'
import { blocksOfHtml } from '../../src/generation/pipeline/text/section-schema.ts'
import { stripReasoning } from '../../src/generation/providers/reasoning.ts'
import { renderSettingsSchema } from '../../src/render/options.ts'
import { renderDocument } from '../../src/render/render.ts'
import { extractJson } from '../../src/wordpress/client/json.ts'
import { addressCandidates } from '../../src/wordpress/discover/address.ts'
import { failureForPage } from '../../src/wordpress/discover/discover.ts'
import { parseRestIndex, restRootFromPage } from '../../src/wordpress/discover/rest-root.ts'
import { classifyFailure } from '../../src/wordpress/failures/classify.ts'
import { htmlToText, parseErrorPage, recognisePage } from '../../src/wordpress/failures/error-pages.ts'
import { findTags, pageTitle } from '../../src/wordpress/html.ts'
import { chooseFileName } from '../../src/wordpress/media/file-type.ts'
import { isDerivedTitle } from '../../src/wordpress/posts/find.ts'
import { sanitizeCss } from '../../src/wordpress/sanitize-css.ts'
import { readTermName, splitTermPath } from '../../src/wordpress/terms/names.ts'
import type { PostRecord } from '../../src/wordpress/types.ts'
import { growth, NOT_LINEAR } from '../support/growth.ts'
import { sampleOf, seed } from '../support/random.ts'

/** What has made a scan look ahead from every place, a few characters each; made as long as the test wants. */
const allPassages = [
  '/',
  '-',
  ' ',
  '\n',
  '<',
  '>',
  '&',
  '&amp;',
  '&#91;',
  '[',
  '[x',
  '[[:',
  ';',
  '"',
  "'",
  '\\',
  '--',
  '<a',
  '<a ',
  '<a>',
  '</a>',
  '<!--',
  '<p><table>',
  '<link',
  '<link rel="https://api.w.org/" ',
  '<link rel="https://api.w.org/">',
  '<meta name="generator" ',
  '<meta content="WordPress ',
  '<input ',
  '<input type=',
  '<title',
  '<title>',
  '<title >',
  '<script>',
  'Ray ID:',
  'Ray ID: <',
  'Ray ID:<b>',
  'Block Reason: ',
  'wordfence.com Block Reason:<',
  'sucuri cloudproxy Block ID: <',
  'modsecurity unique_id ',
  'Fatal error:',
  'PHP Fatal error</b>:',
  '/wp-admin',
  '/wp-admin/&ver=',
  'a > ',
  ' > ',
  '{"',
  '[ {',
  '{',
  '\u00a0',
  '\ud800',
  'é',
  'İ',
  'https://',
  'https://a ',
  '\t',
  '/a',
  'a\n',
  '# a\n\n',
  '- a\n',
  '| a |\n',
  '```\n',
  '(',
  'a{',
  '}',
  '@media(',
  'url(a(',
  '/*',
  '</div>',
  '<i></b>',
  '<x a=">',
]
const passages = sampleOf(allPassages)
console.log(`passages of the seed ${seed}`)

/** Characters of the small text; the large one is sixteen times as long. */
const SIZE = 4_000
const long = (passage: string) => (size: number) => passage.repeat(Math.ceil(size / passage.length))

const answer = (text: string, headers: Record<string, string> = {}) => ({
  url: 'https://example.com/',
  status: 500,
  headers,
  body: Buffer.from(text),
})
const context = { site: 'example.com', method: 'GET', doing: 'reading', subject: 'site' } as const
const post = (content: string) => ({ title: 'T', slug: 's', content }) as Snapshot & PostRecord
const options = {
  media: new Map(),
  settings: renderSettingsSchema.parse({ outside_links_in_new_tab: true }),
  siteOrigin: 'https://example.com',
}
const documentOf = (blocks: unknown[]) => ({
  title: 'T',
  description: undefined,
  audio_url: undefined,
  content: { audio_url: undefined, content: blocks },
})
const render = (format: 'block' | 'classic', blocks: unknown[]) =>
  renderDocument(normaliseDocument(documentOf(blocks)).document, { ...options, format })

const functions: Record<string, (text: string) => unknown> = {
  'the tags of a page': (text) => findTags(text, ['link', 'meta', 'input']),
  'the title of a page': pageTitle,
  'the page of a site': (text) => recognisePage(parseErrorPage(answer(text, { server: 'cloudflare' }))),
  'a page behind a challenge': (text) =>
    recognisePage(parseErrorPage(answer(`challenge-platform ${text}`, { server: 'cloudflare' }))),
  'a page of a firewall': (text) => recognisePage(parseErrorPage(answer(`wordfence.com ${text}`))),
  'a page that is not WordPress': (text) => failureForPage(answer(text), new URL('https://example.com/')),
  'what a REST error says': htmlToText,
  'a REST error': (text) => classifyFailure(answer('{}'), { code: 'unheard_of', message: text }, context),
  'the REST root in a head': (text) => restRootFromPage(answer(text)),
  'the REST root in a header': (text) => restRootFromPage(answer('', { link: text })),
  'the index of a REST root': (text) =>
    parseRestIndex(Buffer.from(JSON.stringify({ namespaces: ['wp/v2'], home: text }))),
  'JSON in an answer': (text) => extractJson(Buffer.from(text)),
  'an address that was typed': (text) => {
    try {
      return addressCandidates(`example.com/${text}`)
    } catch {
      return null
    }
  },
  'the path of a category': splitTermPath,
  'the name of a tag': readTermName,
  'the name of a file': (text) => chooseFileName({ subject: text, url: text, extension: 'png' }),
  'the fingerprint of a post': (text) => textHash({ title: text, content: text, excerpt: '' }),
  'the style sheet of a site': sanitizeCss,
  'a page that is read for research': sanitiseHtml,
  'Markdown in a paragraph of a model': (text) =>
    toBlocks(
      // a paragraph has 20,000 characters at most
      { blocks: [{ type: 'paragraph', text: `# ${text.slice(0, text.length / 4)}` }] },
      { heading: 'T', divided: true, citations: createCitations([], ''), quotable: normalisedWords('') },
    ),
  'what is left of a post': (text) => sharesNoLine(post(`a${text}`), post(text)),
}
for (const format of ['block', 'classic'] as const) {
  functions[`a paragraph, as ${format}`] = (text) => render(format, [{ type: 'paragraph', text }])
  functions[`a code block, as ${format}`] = (text) =>
    render(format, [{ type: 'code', value: text, language: 'ts' }])
}

describe.each(Object.entries(functions))('the time for %s', (_what, work) => {
  it('grows with its length alone, whatever is repeated in it', () => {
    const slow = passages.filter((passage) => growth(work, long(passage), SIZE) > NOT_LINEAR)
    expect(slow).toEqual([])
  })
})

const blocks: Record<string, (size: number) => unknown[]> = {
  'formats beside each other': (size) => [
    {
      type: 'paragraph',
      content: Array.from({ length: size }, (_, index) => ({
        type: index % 2 ? 'bold' : 'italic',
        text: 'a',
      })),
    },
  ],
  'bold beside bold': (size) => [
    { type: 'paragraph', content: Array.from({ length: size }, () => ({ type: 'bold', text: 'a' })) },
  ],
  'links beside each other': (size) => [
    {
      type: 'paragraph',
      content: Array.from({ length: size }, () => ({ type: 'link', url: '#a', text: 'a' })),
    },
  ],
  'text that is code at every level': (size) => [
    {
      type: 'paragraph',
      content: Array.from({ length: size / 100 }, () =>
        nested(100, (inner) => ({ code: true, text: inner })),
      ),
    },
  ],
  'items of a list': (size) => [{ type: 'list', items: Array.from({ length: size }, () => ({})) }],
  'lists in lists': (size) =>
    Array.from({ length: size / 50 }, () =>
      nested(50, (inner) => ({ type: 'list', items: [{ text: 'a', list: inner }] })),
    ),
  'a title much like the text beside it': (size) => [
    { type: 'paragraph', text: 'a'.repeat(6 * size), title: `ab${'a'.repeat(size)}` },
  ],
  'where a quote is from, much like who said it': (size) => [
    { type: 'quote', text: 'a', author: 'a'.repeat(6 * size), source: `ab${'a'.repeat(size)}` },
  ],
  'notes at the end': (size) => [
    {
      type: 'paragraph',
      content: Array.from({ length: size / 4 }, (_, index) => ({ type: 'footnote', text: `note ${index}` })),
    },
  ],
  'what is not known': (size) =>
    Array.from({ length: size / 4 }, () => ({ type: 'unheard_of', deep: [['a']] })),
}

const nested = (depth: number, around: (inner: unknown) => unknown, inner: unknown = 'a'): unknown => {
  let value = inner
  for (let level = 0; level < depth; level += 1) value = around(value)
  return value
}

it('the time for a title of a site grows with its length alone, however much it repeats that of the document', () => {
  const compare = (size: number) => isDerivedTitle('a '.repeat(6 * size), `b ${'a '.repeat(size)}`)
  expect(growth(compare, (size) => size, 1_000)).toBeLessThan(NOT_LINEAR)
})

it('the time to find markup in texts grows with their number alone, however many have some', () => {
  const find = (size: number) => warnOfMarkup(Array.from({ length: size }, () => '*ab*'))
  expect(growth(find, (size) => size, 1_000)).toBeLessThan(NOT_LINEAR)
})

const levels: Record<string, (inner: unknown) => unknown> = {
  'text inside text': (inner) => ({ children: inner }),
  'text beside what is inside it': (inner) => ({ text: 'b', children: inner }),
  'text with a note': (inner) => ({ text: inner, note: 'b' }),
  'a link without an address inside another': (inner) => ({ type: 'link', children: inner }),
  'a kind that is not known inside another': (inner) => ({ type: 'unheard_of', children: inner }),
}

const nothings: Record<string, unknown> = { blocks: [], objects: {} }

it.each(Object.entries(nothings))(
  'much of nothing is not compared with each level around it, as %s',
  (_what, nothing) => {
    const make = (size: number) => {
      let level = 0
      const inner = ['a', ...Array.from({ length: 100 * size }, () => nothing)]
      const around = (children: unknown) => ({ text: `b${level++}`, children })
      const deep = nested(size, around, inner)
      return documentOf([{ type: 'paragraph', content: deep }])
    }
    expect(growth((data: ReturnType<typeof make>) => normaliseDocument(data), make, 20)).toBeLessThan(
      NOT_LINEAR,
    )
  },
)

it.each(['block', 'classic'] as const)(
  'much text deep in formats is not copied with each level, as %s',
  (format) => {
    const make = (size: number) => {
      const deep = nested(size, (inner) => ({ type: 'bold', text: ['a', inner] }), 'x'.repeat(10_000 * size))
      return normaliseDocument(documentOf([{ type: 'paragraph', content: deep }])).document
    }
    const write = (document: ReturnType<typeof make>) => renderDocument(document, { ...options, format })
    expect(growth(write, make, 14)).toBeLessThan(NOT_LINEAR)
  },
)

/** What a repair of JSON looks for the end of, from each place where it stands. */
it.each(['/a', '1 '])('the time for JSON of a model grows with its length: %j', (bait) => {
  const make = (times: number) => `{"queries":[${bait.repeat(times)}`
  const schema = z.object({ queries: z.array(z.string()) })
  expect(growth((answer: string) => readJson(answer, schema), make, 2_000)).toBeLessThan(NOT_LINEAR)
})

/** Lines that have made each one look at all others. */
const lines = [
  '\n',
  ' \n',
  '  a) x\n',
  '**a**\n\n',
  '```\n',
  '===\n',
  '1. a\n- b\n',
  '1. a\n  - b\n',
  '| a\n',
  'a\n\n',
]

it.each([
  '<think>',
  '</think>',
  '<think>a</think>\n',
  '</think>{',
  '<|channel|>final',
  '<|channel|>analysis\n',
  '[THINK]\n',
])('the time to remove the thoughts of a model grows with the text alone: %j', (bait) => {
  expect(growth(stripReasoning, long(bait), 1_000)).toBeLessThan(NOT_LINEAR)
})

it.each(['10 ', 'ten ways ', 'top 10 ', '5 a b c d '])(
  'the time to count what a prompt asks for grows with the text alone: %j',
  (bait) => {
    expect(growth(requestedSections, long(bait), 1_000)).toBeLessThan(NOT_LINEAR)
  },
)

it.each(lines)('the time for Markdown of a model grows with its length alone: %j', (line) => {
  expect(growth(parseMarkdownBlocks, long(line), 1_000)).toBeLessThan(NOT_LINEAR)
})

/** A draft of one part, its paragraphs of so many words each. */
const draftOf = (words: readonly number[]): Draft => {
  const blocks = words.map((count): WireBlock => {
    const text = 'a '.repeat(count)
    return { type: 'paragraph', content: [{ type: 'text', text }] }
  })
  const plan = { role: 'section', heading: '', points: [], sources: [], holds: 'text', picture } as const
  const part = { plan: { ...plan, points: [], sources: [] }, blocks, length: 0, budget: 0 }
  return { outline: { title: '', description: '', picture, parts: [] }, shape, parts: [part] }
}
const picture = { subject: '', alt: '' }
const shape = {
  kind: 'article',
  unit: 'words',
  length: 0,
  sections: 1,
  isCounted: false,
  closing: false,
  pictures: 0,
} as const

it('the time to find the paragraphs that are said in less grows with their number alone', () => {
  const find = (draft: Draft) => findRun(draft, 1_000_000)
  const make = (size: number) => draftOf(Array.from({ length: size }, () => 1))
  expect(growth(find, make, 200)).toBeLessThan(NOT_LINEAR)
})

it('they are as many as have enough words, and else all that follow each other', () => {
  const draft = draftOf([30, 5, 60, 20, 40])
  expect(findRun(draft, 60)).toMatchObject({ from: 2, to: 4, length: 80 })
  expect(findRun(draft, 1_000)).toMatchObject({ from: 0, to: 5, length: 155 })
})

it.each(['<ul><li>', '<p>', '<div>', '<b>'])(
  'the time for HTML of a model grows with its length alone: %j',
  (tag) => {
    const make = (times: number) => `${tag.repeat(times)}a</p>`
    expect(growth(blocksOfHtml, make, 200)).toBeLessThan(NOT_LINEAR)
  },
)

it.each(['a. ', '1. ', '"a." ', 'Dr. A '])(
  'the time to find sentences grows with the text alone: %j',
  (passage) => {
    expect(growth(languageIndependentStarts, long(passage), 250)).toBeLessThan(NOT_LINEAR)
  },
)

it.each(Object.entries(levels))(
  'much that is deep, as %s, is not copied with each level',
  (_what, around) => {
    const make = (size: number) => {
      const much = Array.from({ length: 100 * size }, (_, at) => at)
      return documentOf([{ type: 'paragraph', content: nested(size, (inner) => [around(inner)], much) }])
    }
    const read = (data: ReturnType<typeof make>) => normaliseDocument(data)
    expect(growth(read, make, 14)).toBeLessThan(NOT_LINEAR)
  },
)

describe.each(Object.entries(blocks))('the time for %s', (_what, make) => {
  it.each(['block', 'classic'] as const)('grows with their number alone, as %s', (format) => {
    expect(growth((content: unknown[]) => render(format, content), make, 1_000)).toBeLessThan(NOT_LINEAR)
  })
})
