import { expect, test } from 'vitest'
import { readCommand } from '../src/options.ts'

test.each([
  [[], 'start'],
  [['--help'], 'help'],
  [['-h'], 'help'],
  [['--version'], 'version'],
  [['-v'], 'version'],
  [['--new-key'], 'new-key'],
  [['--new-key', '--help'], 'help'],
])('%j asks for %s', (args, command) => expect(readCommand(args)).toBe(command))

test.each([
  [['--newkey'], /does not know --newkey; did you mean --new-key\?/],
  [['--helpp'], /did you mean --help\?/],
  [['help'], /does not know help; did you mean --help\?/],
  [['--port', '3000'], /does not know --port.*environment variables/],
  [['--port=3000'], /does not know --port/],
  [['--new-key=yes'], /does not know --new-key=yes/],
  [['-x'], /does not know -x/],
  [['./folder'], /does not know \.\/folder/],
])('%j is refused, with what is known', (args, sentence) => {
  expect(() => readCommand(args)).toThrow(sentence)
  expect(() => readCommand(args)).toThrow(/npm start -- --new-key/)
})
