import type { Breakage } from './writer.ts'

type Json = Record<string, unknown>
const parse = (text: string) => JSON.parse(text) as Json
const write = (json: unknown) => JSON.stringify(json)

/** The answer, each object in it changed. */
const eachObject = (text: string, change: (one: Json) => Json): string =>
  write(JSON.parse(text, (_, value: unknown) => (isObject(value) ? change(value) : value)))
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const renamed = (one: Json, names: Readonly<Record<string, string>>): Json =>
  Object.fromEntries(Object.entries(one).map(([name, value]) => [names[name] ?? name, value]))

/** Without anything outside of strings that is not a key changed. */
const outsideOfStrings = (text: string, change: (piece: string) => string): string =>
  text
    .split(/("(?:[^"\\]|\\.)*")/)
    .map((piece, index) => (index % 2 === 1 ? piece : change(piece)))
    .join('')

/** What is wrong with answers of language models, by what one would call it. */
export const breakages: Readonly<Record<string, Breakage>> = {
  'prose before': (text) => `Sure! Here is the section that you asked for:\n\n${text}`,
  'prose with brackets before': (text) => `Here is the answer {as asked} [1]:\n${text}`,
  'prose after': (text) => `${text}\n\nLet me know if you need anything else! :-}`,
  'a fence': (text) => `\`\`\`json\n${text}\n\`\`\``,
  'a fence amid prose': (text) => `Of course.\n\n\`\`\`\n${text}\n\`\`\`\n\nI kept to the length.`,
  'a fence that does not end': (text) => `\`\`\`json\n${text}`,
  'thoughts before': (text) => `<think>The user wants {"blocks": […]}. I must be brief.</think>\n${text}`,
  'a byte order mark': (text) => `\ufeff${text}`,
  'trailing commas': (text) => outsideOfStrings(text, (piece) => piece.replace(/([\]}])/g, ',$1')),
  'a comma missing': (text) => outsideOfStrings(text, (piece) => piece.replace('},{', '} {')),
  'single quotes': (text) => text.replace(/'/g, '’').replace(/(?<!\\)"/g, "'"),
  'keys without quotes': (text) => text.replace(/"(\w+)":/g, '$1:'),
  'curly quotes': (text) => text.replace(/"(\w+)":/g, '“$1”:'),
  'line breaks in strings': (text) => text.replace(/\. /g, '.\n'),
  comments: (text) => text.replace('{', '{ // the answer\n').replace('[', '[ /* blocks */ '),
  'words of Python': (text) => text.replace(/false/g, 'False').replace(/true/g, 'True'),
  'a string of JSON': (text) => write(text),
  'a wrapper': (text) => write({ answer: parse(text) }),
  'two wrappers': (text) => write({ result: { section: parse(text), outline: parse(text) } }),
  'an array around': (text) => write([parse(text)]),
  'the array alone': (text) => write(Object.values(parse(text)).find(Array.isArray) ?? parse(text)),
  'the answer twice': (text) => `${text}\n${text}`,
  'other members': (text) => eachObject(text, (one) => ({ id: 7, note: null, ...one })),
  'other names': (text) =>
    eachObject(text, (one) => renamed(one, { text: 'content', heading: 'title', points: 'bullets' })),
  'other types': (text) =>
    eachObject(text, (one) => (one.type === 'paragraph' ? { ...one, type: 'p' } : one)),
  'capital letters': (text) =>
    eachObject(text, (one) =>
      typeof one.type === 'string' ? { ...one, type: one.type.toUpperCase() } : one,
    ),
  'inline content': (text) =>
    eachObject(text, (one) =>
      one.type === 'paragraph'
        ? {
            ...one,
            text: [
              { type: 'text', text: one.text },
              { type: 'bold', text: ' More.' },
            ],
          }
        : one,
    ),
  'strings in the place of blocks': (text) =>
    eachObject(text, (one) =>
      Array.isArray(one.blocks) ? { blocks: one.blocks.map((block: Json) => block.text ?? '') } : one,
    ),
  'one string in the place of blocks': (text) =>
    eachObject(text, (one) =>
      Array.isArray(one.blocks)
        ? { blocks: one.blocks.map((block: Json) => block.text ?? '').join('\n\n') }
        : one,
    ),
  'numbers in the place of texts': (text) =>
    eachObject(text, (one) =>
      'language' in one ? { ...one, language: 5 } : 'alt' in one ? { ...one, alt: 12 } : one,
    ),
  'null in the place of texts': (text) =>
    eachObject(text, (one) => ('heading' in one || 'picture' in one ? { ...one, picture: null } : one)),
  'a text in the place of a list': (text) =>
    eachObject(text, (one) => (Array.isArray(one.points) ? { ...one, points: one.points.join(', ') } : one)),
  'members missing': (text) => eachObject(text, ({ holds: _, picture: __, ordered: ___, ...one }) => one),
  'tags of HTML': (text) => text.replace(/(\w{5,}) (\w{5,})/g, '<strong>$1</strong> <br/>$2'),
  'headings that are texts': (text) =>
    eachObject(text, (one) =>
      'heading' in one ? { ...one, heading: `${String(one.heading)}. `.repeat(20) } : one,
    ),
  'control characters': (text) => text.replace(/ /g, () => ' \\u0000\\u0007').replace(/,/g, ',\u0001'),
  'halves of characters': (text) => text.replace(/ (\w)/g, ' \\ud83d$1'),
  'cut off near its end': (text) => ({
    text: text.slice(0, Math.floor(text.length * 0.9)),
    finish: 'length',
  }),
  'cut off somewhere': (text, random) => ({
    text: text.slice(0, Math.floor(text.length * (0.3 + 0.6 * random.next()))),
    finish: 'length',
  }),
  'cut off, and nobody says so': (text, random) =>
    text.slice(0, Math.floor(text.length * (0.5 + 0.4 * random.next()))),
  'cut off at once': (text) => ({ text: text.slice(0, 14), finish: 'length' }),
  'quotes that are not escaped': (text) => text.replace(/(\w{6,}) (\w{6,})/, '"$1" $2'),
  'no answer': () => '',
  'a refusal in words': () => 'I’m sorry, but I can’t help with that.',
  'an error': () => '{"error": {"message": "overloaded", "code": 529}}',
  'nothing in it': () => '{"blocks": [], "sections": [], "paragraphs": []}',
  'thousands of brackets': () => '['.repeat(50_000),
  'far too much': (text) => `{"blocks": [${Array(20_000).fill('"x"').join(',')}], "more": ${text}}`,
  Markdown: () => '# A heading\n\nSome text about tides.\n\n- one\n- two\n',
}
