import { expect, test } from 'vitest'
import { readCommand } from '../src/options.ts'

test.each([
  [[], 'start'],
  [['serve'], 'start'],
  [['serve', '--help'], 'program'],
  [['serve', '--port=1'], 'program'],
  [['--help'], 'help'],
  [['-h'], 'help'],
  [['--version'], 'version'],
  [['-v'], 'version'],
  [['--new-key'], 'new-key'],
  [['--new-key', '--help'], 'help'],
  [['--credits', '500'], { credits: 500 }],
  [['--credits=1000000000'], { credits: 1_000_000_000 }],
  [['--credits', 'unlimited'], { credits: 'unlimited' }],
  [['--credits', '500', '--help'], 'help'],
  [['help'], 'program'],
  [['render', 'article.json'], 'program'],
  [['--json', 'render', '-'], 'program'],
])('%j asks for %s', (args, command) => expect(readCommand(args)).toEqual(command))

test.each([
  [['--newkey'], /does not know --newkey; did you mean --new-key\?/],
  [['--helpp'], /did you mean --help\?/],
  [['rendr'], /does not know rendr; did you mean render\?/],
  [['--port', '3000'], /does not know --port.*environment variables/],
  [['--port=3000'], /does not know --port/],
  [['--new-key=yes'], /does not know --new-key=yes/],
  [['-x'], /does not know -x/],
  [['./folder'], /does not know \.\/folder/],
])('%j is refused, with what is known', (args, sentence) => {
  expect(() => readCommand(args)).toThrow(sentence)
  expect(() => readCommand(args)).toThrow(/npm start -- --new-key/)
})

test.each([
  ['--credits'],
  ['--credits='],
  ['--credits=0'],
  ['--credits=-5'],
  ['--credits=1.5'],
  ['--credits=1000000001'],
])('%s is refused, with what is wanted', (argument) =>
  expect(() => readCommand([argument])).toThrow(/whole number from 1 to 1000000000, or unlimited/),
)
