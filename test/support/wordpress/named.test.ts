import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { namedWordPresses } from './named.ts'

it('are none where the environment names none', () => {
  expect(namedWordPresses({})).toEqual([])
  expect(namedWordPresses({ GALLEY_TEST_WORDPRESS: ' ', GALLEY_TEST_WORDPRESS_ROOT: '/srv' })).toEqual([])
})

it('are the files that it names, each with its own folder, or the one that it holds', () => {
  const folder = mkdtempSync(join(tmpdir(), 'galley-named-'))
  try {
    const files = ['one', 'two'].map((url) => {
      writeFileSync(join(folder, url), JSON.stringify({ url }))
      return join(folder, url)
    })
    const several = { GALLEY_TEST_WORDPRESS: files.join(' '), GALLEY_TEST_WORDPRESS_ROOT: '/a  /b' }
    expect(namedWordPresses(several)).toEqual([
      { url: 'one', root: '/a', muPlugins: '/a/wp-content/mu-plugins' },
      { url: 'two', root: '/b', muPlugins: '/b/wp-content/mu-plugins' },
    ])
    expect(() => namedWordPresses({ ...several, GALLEY_TEST_WORDPRESS_ROOT: '/a' })).toThrow('names 2')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  expect(
    namedWordPresses({ GALLEY_TEST_WORDPRESS: '{"url": "x"}', GALLEY_TEST_WORDPRESS_ROOT: '/c' }),
  ).toEqual([{ url: 'x', root: '/c', muPlugins: '/c/wp-content/mu-plugins' }])
})
