import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { configuredWordPresses } from './configured.ts'
import { claimForProcess } from './index.ts'

it('gives each process one of its own, the same every time, and none to one too many', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'galley-claim-'))
  try {
    const claims = [11, 22, 11, 33, 22].map((owner) => claimForProcess(['first', 'second'], folder, owner))
    expect(claims).toEqual(['first', 'second', 'first', undefined, 'second'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

it('are none where the environment names none', () => {
  expect(configuredWordPresses({})).toEqual([])
  expect(configuredWordPresses({ GALLEY_TEST_WORDPRESS: ' ', GALLEY_TEST_WORDPRESS_ROOT: '/srv' })).toEqual(
    [],
  )
})

it('are the files that it names, each with its own folder, or the one that it holds', () => {
  const folder = mkdtempSync(join(tmpdir(), 'galley-named-'))
  try {
    const files = ['one', 'two'].map((url) => {
      writeFileSync(join(folder, url), JSON.stringify({ url }))
      return join(folder, url)
    })
    const several = { GALLEY_TEST_WORDPRESS: files.join(' '), GALLEY_TEST_WORDPRESS_ROOT: '/a  /b' }
    expect(configuredWordPresses(several)).toEqual([
      { url: 'one', root: '/a', muPlugins: '/a/wp-content/mu-plugins' },
      { url: 'two', root: '/b', muPlugins: '/b/wp-content/mu-plugins' },
    ])
    expect(() => configuredWordPresses({ ...several, GALLEY_TEST_WORDPRESS_ROOT: '/a' })).toThrow('names 2')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  expect(
    configuredWordPresses({ GALLEY_TEST_WORDPRESS: '{"url": "x"}', GALLEY_TEST_WORDPRESS_ROOT: '/c' }),
  ).toEqual([{ url: 'x', root: '/c', muPlugins: '/c/wp-content/mu-plugins' }])
})
