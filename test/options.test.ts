import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseCommandLine } from '../src/app/command-line.ts'

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
])('%j asks for %s', (args, command) => expect(parseCommandLine(args)).toEqual(command))

test.each([
  [['--newkey'], /no option --newkey; did you mean --new-key\?/],
  [['--helpp'], /did you mean --help\?/],
  [['rendr'], /no command rendr; did you mean render\?/],
  [['--port', '3000'], /no option --port.*environment variables/],
  [['--port=3000'], /no option --port/],
  [['--new-key=yes'], /no option --new-key=yes/],
  [['-x'], /no option -x/],
  [['./folder'], /no command \.\/folder/],
])('%j is refused in a line that says where all of it stands', (args, sentence) => {
  expect(() => parseCommandLine(args)).toThrow(sentence)
  expect(() => parseCommandLine(args)).toThrow(/^[^\n]*galley --help[^\n]*$/)
})

test.each([
  ['--credits'],
  ['--credits='],
  ['--credits=0'],
  ['--credits=-5'],
  ['--credits=1.5'],
  ['--credits=1000000001'],
])('%s is refused, with what is wanted', (argument) =>
  expect(() => parseCommandLine([argument])).toThrow(/whole number from 1 to 1000000000, or unlimited/),
)

test('whoever is locked out reads what to type as it is installed: as a package, and in a clone', () => {
  const files = ['operator-keys', 'authenticate'].map((name) => `src/accounts/${name}.ts`)
  const hints = files.flatMap(
    (file) => readFileSync(file, 'utf8').match(/^.*npm start -- --new-key.*$/gm) ?? [],
  )
  expect(hints.length).toBe(3)
  for (const hint of hints) {
    expect(hint).toContain('npm start -- --new-key')
    expect(hint).toContain('galley --new-key')
  }
})
