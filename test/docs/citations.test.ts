import { describe, expect, test } from 'vitest'
import { commentsOf, missingIn, missingInPage } from './citations.ts'
import * as repository from './repository.ts'

const { paths, read } = repository

/** Programs and settings with comments; not this folder, which cites what is not there on purpose. */
const programs = [...paths].filter(
  (path) =>
    !path.startsWith('test/docs/') &&
    (/\.(?:ts|tsx|css|mjs|php|prisma|sql|ya?ml|service|conf)$/.test(path) ||
      ['.ci/run', 'scripts/wordpress/up', 'Dockerfile', '.env.example'].includes(path)),
)
const pages = [...paths].filter((path) => path.endsWith('.md'))

test('every file that a comment names is there', () => {
  expect(programs.length).toBeGreaterThan(500)
  const missing = programs.flatMap((path) =>
    commentsOf(path, read(path)).flatMap((comment) =>
      missingIn(comment, repository).map((name) => `${path} cites ${name}`),
    ),
  )
  expect(missing).toEqual([])
})

test.each(pages)('every file, page and heading that %s names or links is there', (page) => {
  expect(missingInPage(page, read(page), repository)).toEqual([])
})

describe('what is found', () => {
  const small = {
    paths: new Set(['README.md', 'docs/', 'docs/a.md', 'src/', 'src/b.ts', 'src/room/', 'src/room/c.ts']),
    read: () => '# A\n\n## The way of `it`\n\n```sh\n# no heading\n```\n',
  }

  test.each([
    ['// see docs/nothing.md', 'docs/nothing.md'],
    ['  /** As design.md says. */', 'design.md'],
    ['   * (gone.ts) and b.ts', 'gone.ts'],
    ['const a = 1 // as in room/gone.ts', 'room/gone.ts'],
    ['// all of src/gone and src/room', 'src/gone'],
    ['// docs/a.md, "Another way"', 'docs/a.md, "Another way"'],
  ])('in %s', (line, name) => {
    expect(commentsOf('x.ts', line).flatMap((comment) => missingIn(comment, small))).toEqual([name])
  })

  test.each([
    '// docs/a.md, b.ts, room/c.ts, src/room and src/room/c.ts',
    '// docs/a.md, "The way of it"',
    "const text = 'docs/nothing.md'",
    '// https://example.com/src/nothing.md',
  ])('nothing in %s', (line) => {
    expect(commentsOf('x.ts', line).flatMap((comment) => missingIn(comment, small))).toEqual([])
  })

  test('in the comments of a shell script and of SQL', () => {
    expect(commentsOf('.ci/run', '#!/bin/sh\n# gone.md\necho docs/other.md')).toEqual([
      '!/bin/sh',
      ' gone.md',
    ])
    expect(commentsOf('a.sql', 'SELECT 1;\n-- gone.md')).toEqual([' gone.md'])
  })

  test('in the links, anchors and names of a page', () => {
    const text = `[a](a.md) [b](../src/b.ts) [c](#nowhere) [d](a.md#the-way-of-it) [e](gone.md) [f](a.md#gone)
[g](https://example.com/x.md) \`src/room/\` \`src/gone.ts\`
\`\`\`sh
cat docs/in-a-block.md
\`\`\``
    expect(missingInPage('docs/a.md', text, small)).toEqual([
      '#nowhere',
      'gone.md',
      'a.md#gone',
      'src/gone.ts',
    ])
  })
})
