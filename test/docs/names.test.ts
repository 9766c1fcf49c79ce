import { expect, test } from 'vitest'
import { description } from '../../scripts/openapi/routes.ts'
import { settingNames } from '../../src/config/settings.ts'
import { paths, read } from './repository.ts'

// What the pages name is there: scripts of the package, settings, and calls of the API.

const pages = [...paths].filter((path) => path.endsWith('.md'))
const { scripts } = JSON.parse(read('package.json'))
const calls: Readonly<Record<string, object>> = description.paths ?? {}

/** What tests and benchmarks read, and no Galley. */
const FOR_TESTS = /^GALLEY_(?:TEST|FAULTS|HOSTILE|PLANS|SCREENSHOTS)/
/** What the command line reads. */
const FOR_COMMANDS = ['GALLEY_URL', 'GALLEY_KEY', 'GALLEY_SITE_PASSWORD']

const isCall = (method: string, path: string): boolean =>
  Object.hasOwn(calls[path] ?? {}, method.toLowerCase())

/** What a page names that is not there. */
function unknownIn(text: string): string[] {
  const run = [...text.matchAll(/\bnpm run (?:-\S+ )*([\w:]+)/g)].map(([, name = '']) => name)
  const set = [...text.matchAll(/\bGALLEY_[A-Z0-9_]*[A-Z0-9]\b/g)].map(([name]) => name)
  const asked = [...text.matchAll(/`(GET|POST|PATCH|PUT|DELETE) (\/v1\/[\w/{}-]+)/g)]
  return [
    ...run.filter((name) => !(name in scripts)),
    ...set.filter(
      (name) => !settingNames.includes(name) && !FOR_COMMANDS.includes(name) && !FOR_TESTS.test(name),
    ),
    ...asked.filter(([, method = '', path = '']) => !isCall(method, path)).map(([whole]) => whole.slice(1)),
  ]
}

test.each(pages)('every script, setting and call that %s names is there', (page) => {
  expect(unknownIn(read(page))).toEqual([])
})

test('one that is not there is found', () => {
  const text =
    '`npm run dance`, `GALLEY_DANCE=1`, `GET /v1/dances` and `PUT /v1/sites`; `GET /v1/sites` is there.'
  expect(unknownIn(text)).toEqual(['dance', 'GALLEY_DANCE', 'GET /v1/dances', 'PUT /v1/sites'])
})
