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
  [['--newkey'], /'--newkey'/],
  [['rendr'], /'rendr'/],
  [['--port', '3000'], /'--port'.*environment variables/],
  [['--new-key=yes'], /'--new-key'/],
  [['-x'], /'-x'/],
  [['./folder'], /'\.\/folder'/],
  [['--credits'], /--credits/],
])('%j is refused in a line that says where all of it stands', (args, sentence) => {
  expect(() => parseCommandLine(args)).toThrow(sentence)
  expect(() => parseCommandLine(args)).toThrow(/^[^\n]*galley --help[^\n]*$/)
})

test.each([['--credits='], ['--credits=0'], ['--credits=-5'], ['--credits=1.5'], ['--credits=1000000001']])(
  '%s is refused, with what is wanted',
  (argument) =>
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
