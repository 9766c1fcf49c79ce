import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { paths, read } from './repository.ts'

interface Line {
  /** `D1`: how its test names it. */
  name: string
  /** The files that its last cell links to, from the root, and a test of each where the link names one. */
  tests: { path: string; title?: string }[]
}

/** The lines of the contract of generation, as a page has them: rows whose first cell is a name. */
const linesOf = (page: string): Line[] =>
  [...page.matchAll(/^\| ([A-Z]\d+) \|.*\| ([^|]*) \|$/gm)].map(([, name = '', shown = '']) => ({
    name,
    tests: [...shown.matchAll(/\]\(([^\s)]+)(?: "([^"]+)")?\)/g)].map(([, link = '', title]) => ({
      path: join('docs', link),
      ...(title !== undefined && { title }),
    })),
  }))

/** The lines that the titles and tables of a test name. */
const namedIn = (test: string): Set<string> =>
  new Set([...test.matchAll(/(?<=[(',] ?)[A-Z]\d+(?=[)',])/g)].map(([name]) => name))

/** What is wrong with the tests of these lines. */
const unshown = (lines: Line[], files: ReadonlySet<string>, text: (path: string) => string): string[] =>
  lines.flatMap(({ name, tests }) => {
    if (tests.length === 0) return [`${name} has no test`]
    return tests
      .filter(({ path, title }) => {
        if (!files.has(path)) return true
        return title === undefined ? !namedIn(text(path)).has(name) : !text(path).includes(title)
      })
      .map(({ path, title }) => `${path} does not name ${title ?? name}`)
  })

const lines = linesOf(read('docs/contract.md'))

test('every line of the contract of generation has a test that names it', () => {
  expect(lines.length).toBeGreaterThan(60)
  expect(unshown(lines, paths, read)).toEqual([])
})

test('no line stands there twice, and no test names one that is not there', () => {
  const names = lines.map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  const folder = dirname('test/generation/contract/requests.db.test.ts')
  const tests = [...paths].filter((path) => path.startsWith(folder) && path.endsWith('.test.ts'))
  for (const path of tests)
    expect([path, [...namedIn(read(path))].filter((name) => !names.includes(name))]).toEqual([path, []])
})

test('a line without a test, with one that is not there, or that names another, is found', () => {
  const page = `
| | line | Galley | shown by |
|---|---|---|---|
| Z1 | a | b | [x.test.ts](../test/x.test.ts) |
| Z2 | a | b | [x.test.ts](../test/x.test.ts) |
| Z3 | a | b | nowhere |
| Z4 | a | b | [gone.test.ts](../test/gone.test.ts) |
| Z5 | a | b | [x.test.ts](../test/x.test.ts "is so"), [x.test.ts](../test/x.test.ts "is not") |
`
  const found = unshown(linesOf(page), new Set(['test/x.test.ts']), () => "it('is so (Z1, Z9)')")
  expect(found).toEqual([
    'test/x.test.ts does not name Z2',
    'Z3 has no test',
    'test/gone.test.ts does not name Z4',
    'test/x.test.ts does not name is not',
  ])
})
