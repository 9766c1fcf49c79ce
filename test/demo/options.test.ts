import { expect, it } from 'vitest'
import { readOptions } from '../../demo/options.ts'

it('starts a new WordPress and stays up where nothing is said', () => {
  expect(readOptions([])).toEqual({ once: false, help: false })
})

it('takes an own site with its user', () => {
  const options = readOptions(['--once', '--site', 'https://blog.example', '--user', 'ada'])
  expect(options).toEqual({ once: true, help: false, own: { url: 'https://blog.example', user: 'ada' } })
})

it('takes a prompt to a post, by a script or by a model', () => {
  expect(readOptions(['--generate'])).toEqual({ once: false, help: false, generate: {} })
  const ai = ['--ai-url', 'https://ai.example/v1', '--ai-model', 'some-model']
  expect(readOptions(['--generate', ...ai])).toEqual({
    once: false,
    help: false,
    generate: { ai: { url: 'https://ai.example/v1', model: 'some-model' } },
  })
})

it.each([
  [['--site', 'https://blog.example'], '--site and --user belong together.'],
  [['--user', 'ada'], '--site and --user belong together.'],
  [['--site', 'blog', '--user', 'ada'], '--site wants an address such as https://example.com, not blog.'],
  [['--generate', '--ai-url', 'https://ai.example'], '--ai-url and --ai-model belong together.'],
  [['--ai-url', 'https://ai.example', '--ai-model', 'some'], '--ai-url is for --generate.'],
  [['--generate', '--ai-url', 'ai', '--ai-model', 'some'], '--ai-url wants an address such as'],
  [['--twice'], "Unknown option '--twice'"],
])('answers %j with what is wrong and how it goes', (args, sentence) => {
  expect(() => readOptions(args)).toThrow(sentence)
  expect(() => readOptions(args)).toThrow('npm run demo -- --site URL --user NAME')
})
