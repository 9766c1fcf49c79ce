import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { cachedTree, keepTree } from '../../../demo/wordpress/cache.ts'

let cache: string

beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'galley-test-cache-'))
})

afterEach(() => rm(cache, { recursive: true }))

const layOut = (version: string) => async (work: string) => {
  const tree = join(work, 'wordpress')
  await mkdir(join(tree, 'wp-includes'), { recursive: true })
  await writeFile(join(tree, 'wp-includes', 'version.php'), `<?php\n$wp_version = '${version}';\n`)
  return tree
}

it('has nothing at first', async () => {
  expect(await cachedTree(cache)).toBeUndefined()
})

it('keeps a tree under the version that the tree itself names, and nothing beside it', async () => {
  const kept = await keepTree(cache, layOut('7.1.4'))
  expect(kept).toBe(join(cache, '7.1.4'))
  expect(await cachedTree(cache)).toBe(kept)
  expect(await readdir(cache)).toEqual(['7.1.4'])
})

it('takes the newest version it has, by number and not by letter', async () => {
  for (const version of ['7.10', '6.8.7', '7.9.1']) await keepTree(cache, layOut(version))
  expect(await cachedTree(cache)).toBe(join(cache, '7.10'))
})

it('leaves nothing behind of a tree that could not be laid out', async () => {
  const half = async (work: string) => {
    await writeFile(join(work, 'half'), '')
    throw new Error('the disk is full')
  }
  await expect(keepTree(cache, half)).rejects.toThrow('the disk is full')
  expect(await readdir(cache)).toEqual([])
})

it('lets two runs fetch the same version at once', async () => {
  const kept = await Promise.all([keepTree(cache, layOut('7.1.4')), keepTree(cache, layOut('7.1.4'))])
  expect(kept).toEqual([join(cache, '7.1.4'), join(cache, '7.1.4')])
  expect(await readdir(cache)).toEqual(['7.1.4'])
})

it('makes the places that a run mounts its own files at', async () => {
  const kept = await keepTree(cache, layOut('7.1.4'))
  expect(await readFile(join(kept, 'wp-config.php'), 'utf8')).toBe('')
  expect((await readdir(join(kept, 'wp-content'))).sort()).toEqual(['database', 'mu-plugins', 'uploads'])
})
