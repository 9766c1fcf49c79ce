import { expect, it } from 'vitest'
import type { WireBlock, WireInline } from '../../../src/contract/generation/results.ts'
import { normalisedWords, toBlocks } from '../../../src/generation/pipeline/text/blocks.ts'
import { createCitations } from '../../../src/generation/pipeline/text/inlines.ts'
import type { WrittenBlock } from '../../../src/generation/pipeline/text/section-schema.ts'

const source = { id: 's1', url: 'https://tides.example/a', title: 'Tides', text: 'Water rises.' }

const read = (...blocks: WrittenBlock[]) => readIn({ divided: true }, ...blocks)

const readIn = ({ divided }: { divided: boolean }, ...blocks: WrittenBlock[]) =>
  toBlocks(
    { blocks },
    {
      heading: 'Tides',
      divided,
      citations: createCitations([source], ''),
      quotable: normalisedWords('Water rises. And falls.'),
    },
  )

const paragraph = (text: string): WrittenBlock => ({ type: 'paragraph', text })

/** In few words. */
const seen = (block: WireBlock): string => {
  if (block.type === 'paragraph') return block.content.map(inline).join('')
  if (block.type === 'heading') return `h${block.level} ${block.text}`
  if (block.type === 'list') return `${block.ordered ? 'ol' : 'ul'} ${block.items.join('/')}`
  if (block.type === 'table')
    return `table ${[block.headers, ...block.rows].map((row) => row.join(',')).join('/')}`
  if (block.type === 'code_block') return `code(${block.language}) ${block.value}`
  return block.type === 'quote' ? `quote ${block.value}` : block.type
}

const inline = ({ type, text }: WireInline): string => (type === 'text' ? text : `${type}(${text})`)

it.each<[string, string, string[]]>([
  ['a list below its introduction', 'These are:\n- one\n- two', ['These are:', 'ul one/two']],
  ['a numbered one', 'Steps:\n1. one\n2. two\n\nAfter.', ['Steps:', 'ol one/two', 'After.']],
  ['text below a list', '- one\n- two\nAnd text.', ['ul one/two', 'And text.']],
  ['an item of two lines', '- one\n  goes on\n- two', ['ul one goes on/two']],
  ['numbers with lines between', '1. **One**: a\n\n2. **Two**: b', ['ol One: a/Two: b']],
  ['numbers with items in them', '1. one\n   - a\n   - b\n2. two', ['ol one; a; b/two']],
  ['a list of tasks', '- [ ] one\n- [x] two', ['ul one/two']],
  ['letters within numbers', '1. one\n   a) x\n   b) y\n2. two', ['ol one a) x b) y/two']],
  ['numbers in brackets', '(1) one\n(2) two', ['ol one/two']],
  ['a list by other points', 'These:\n◦ one\n◦ two', ['These:', 'ul one/two']],
  ['names', 'A. Smith said so.\nB. Jones did not.', ['A. Smith said so. B. Jones did not.']],
  ['a letter', 'See\nb) two', ['See b) two']],
  [
    'a bold line above a text',
    '**High tides**\nOne.\n\n**Low tides:**\n\nTwo.',
    ['h3 High tides', 'One.', 'h3 Low tides', 'Two.'],
  ],
  ['a bold sentence', '**Never swim alone.**\n\nOne.', ['bold(Never swim alone.)', 'One.']],
  ['a bold line at the end', 'One.\n\n**High tides**', ['One.', 'bold(High tides)']],
  ['a line that divides, alone', '***', []],
  ['a date', '8. Mai 1945 war ein Tag.', ['8. Mai 1945 war ein Tag.']],
  ['a table below a text', 'Text:\n| a | b |\n|---|---|\n| 1 | 2 |', ['Text:', 'table a,b/1,2']],
  ['a table without bars around it', 'a | b\n---|---\n1 | 2', ['table a,b/1,2']],
  ['a bar in a cell', '| a | b |\n|---|---|\n| 1 \\| 2 | 3 |', ['table a,b/1 | 2,3']],
  ['code below a text', 'Run:\n```bash\nls `pwd`\n```\nDone.', ['Run:', 'code(bash) ls `pwd`', 'Done.']],
  ['code in waves', 'Run:\n\n~~~js\nlet a\n~~~', ['Run:', 'code(js) let a']],
  ['code that does not end', '```js\nlet a\n\nlet b', ['code(js) let a\n\nlet b']],
  ['code in one line', '```ls -l```', ['code(ls -l)']],
  ['lines that divide', 'One.\n\n---\n\nTwo.\n\n***\n\nThree.', ['One.', 'Two.', 'Three.']],
  ['a heading amid a text', 'One.\n## High\nTwo.', ['One.', 'h3 High', 'Two.']],
  ['a heading of the wrong level', '###### High\n\nTwo.', ['h3 High', 'Two.']],
  ['a heading above equal signs', 'High\n====\n\nTwo.', ['h3 High', 'Two.']],
  ['a quotation', '> Water rises.\n> And falls.\n\nText.', ['quote Water rises. And falls.', 'Text.']],
  ['a quotation of nobody', '> Nobody said so.', ['Nobody said so.']],
  ['addresses of notes', 'See it.\n\n[1]: https://evil.example/x', ['See it.']],
  ['notes', 'Text.[^1]\n\n[^1]: A note', ['Text.', 'A note']],
  ['line breaks that were escaped twice', 'One.\\n\\nTwo.', ['One.', 'Two.']],
  ['a line break that a text is about', 'Write \\n to break.', ['Write \\n to break.']],
  ['HTML', '<h2>High</h2><p>One.</p><ul><li>a</li><li>b</li></ul>', ['h3 High', 'One.', 'ul a/b']],
  ['numbers in HTML', '<ol><li><p>a</p></li><li>b</li></ol>', ['ol a/b']],
  [
    'a table in HTML',
    '<table><tr><th>A</th><th>B</th></tr><tr><td>1<br>2</td><td>3</td></tr></table>',
    ['table A,B/1 2,3'],
  ],
  ['HTML in code', 'Write `<p>a</p>` here.', ['Write code(<p>a</p>) here.']],
])('%s in a paragraph is what it means', (_, text, blocks) => {
  expect(read(paragraph(text)).map(seen)).toEqual(blocks)
})

it.each([
  ['Both ***bold*** and _italic_ words', 'Both italic(bold) and italic(italic) words'],
  [
    '__Two words__ are bold, __init__ and snake_case_names are names',
    'bold(Two words) are bold, __init__ and snake_case_names are names',
  ],
  ['~~struck~~', 'struck'],
  ['5 \\* 3, \\_x\\_ and \\[a\\]', '5 * 3, _x_ and [a]'],
  ['In code `a\\*b` it stays', 'In code code(a\\*b) it stays'],
  ['Water rises [s1, s2].', 'Water rises link(tides.example).'],
  ['Water rises [s7].', 'Water rises.'],
  ['Water rises【1†source】.', 'Water rises.'],
  ['One <img src="https://evil.example/x.png" alt="x"> two', 'One two'],
  ['One <!-- wp:paragraph --> two', 'One two'],
  ['See <https://evil.example/x>.', 'See evil.example.'],
  ['See [the tides][1], [others][s1] and [more][].', 'See the tides, link(others) and more.'],
  ['A picture ![of tides][tides] here', 'A picture of tides here'],
  ['The table a[i][j], the list [x] and array[1] stay', 'The table a[i][j], the list [x] and array[1] stay'],
  ['Water rises [1]. It falls [2][3], and rests.[12]', 'Water rises. It falls, and rests.'],
  ['From [0, 1] and [1, 2] on, in [2024] too', 'From [0, 1] and [1, 2] on, in [2024] too'],
  ['It rises [[1]](https://evil.example/x) and falls [2](https://evil.example/y).', 'It rises and falls.'],
  ['It rises【s1】, so.', 'It rises link(tides.example), so.'],
  ['It rises.[S1] So.', 'It rises. link(tides.example) So.'],
  ['It rises (Source: s1).', 'It rises link(tides.example).'],
  ['The line (S7) and the part (s9)', 'The line (S7) and the part (s9)'],
  ['**bold *italic* x** and *it **bold** it*', 'bold(bold italic x) and italic(it bold it)'],
  ['**bold _one_ and _two_** end', 'bold(bold one and two) end'],
  ['**a** b *c* **d**', 'bold(a) b italic(c) bold(d)'],
  ['==marked== where a == b and c == d', 'marked where a == b and c == d'],
  ['**Note: **it rises, <b>slowly </b>at first', 'bold(Note:) it rises, bold(slowly) at first'],
  ['One <b></b>, 2 ** 3 ** 4 and f****', 'One , 2 ** 3 ** 4 and f****'],
  ['It [rises](S1), it [ ](s1) falls', 'It link(rises), it falls'],
  ['H<sub>2</sub>O, <u>so</u>. <mark>Yes</mark>, <kbd>Esc</kbd>', 'H2O, so. Yes, Esc'],
])('the marks in %s', (text, shown) => {
  expect(read(paragraph(text)).map(seen)).toEqual([shown])
})

it('code in a fence of its own is without it', () => {
  expect(read({ type: 'code', language: '', code: '```js\nlet a = 1\n```' }).map(seen)).toEqual([
    'code(js) let a = 1',
  ])
})

it('an item with items in it is several', () => {
  expect(read({ type: 'list', ordered: false, items: ['one\n- a\n- b', 'two'] }).map(seen)).toEqual([
    'ul one/a/b/two',
  ])
})

it('a heading stands once in a part, and what was below it stays', () => {
  const same: WrittenBlock = { type: 'subheading', text: 'High' }
  expect(read(same, paragraph('One.'), same, paragraph('Two.')).map(seen)).toEqual([
    'h3 High',
    'One.',
    'Two.',
  ])
})

it('a bold paragraph above another is a heading', () => {
  expect(read(paragraph('**High tides**'), paragraph('One.'), paragraph('**The end**')).map(seen)).toEqual([
    'h3 High tides',
    'One.',
    'bold(The end)',
  ])
})

it('where no headings belong, a bold line stays what it is', () => {
  const [line, both] = [paragraph('**High tides**'), paragraph('**Low tides**\nOne.')]
  expect(readIn({ divided: false }, line, both).map(seen)).toEqual([
    'bold(High tides)',
    'bold(Low tides) One.',
  ])
})
