import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { cachedTree, cacheTree, findTree } from '../../../demo/wordpress/files.ts'

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

it('caches a tree under the version that the tree itself names, and nothing beside it', async () => {
  const cached = await cacheTree(cache, layOut('7.1.4'))
  expect(cached).toBe(join(cache, '7.1.4'))
  expect(await cachedTree(cache)).toBe(cached)
  expect(await readdir(cache)).toEqual(['7.1.4'])
})

it('takes the newest version it has, by number and not by letter', async () => {
  for (const version of ['7.10', '6.8.7', '7.9.1']) await cacheTree(cache, layOut(version))
  expect(await cachedTree(cache)).toBe(join(cache, '7.10'))
})

it('leaves nothing behind of a tree that could not be laid out', async () => {
  const half = async (work: string) => {
    await writeFile(join(work, 'half'), '')
    throw new Error('the disk is full')
  }
  await expect(cacheTree(cache, half)).rejects.toThrow('the disk is full')
  expect(await readdir(cache)).toEqual([])
})

it('lets two runs fetch the same version at once', async () => {
  const cached = await Promise.all([cacheTree(cache, layOut('7.1.4')), cacheTree(cache, layOut('7.1.4'))])
  expect(cached).toEqual([join(cache, '7.1.4'), join(cache, '7.1.4')])
  expect(await readdir(cache)).toEqual(['7.1.4'])
})

it('makes the places that a run mounts its own files at', async () => {
  const cached = await cacheTree(cache, layOut('7.1.4'))
  expect(await readFile(join(cached, 'wp-config.php'), 'utf8')).toBe('')
  expect((await readdir(join(cached, 'wp-content'))).sort()).toEqual(['database', 'mu-plugins', 'uploads'])
})

it('takes the first source that has a WordPress, and logs one line for each that has none', async () => {
  const lines: string[] = []
  const none = { name: 'nowhere', unpack: () => Promise.reject(new Error('no route to host')) }
  const some = { name: 'somewhere', unpack: layOut('6.5.5') }
  expect(await findTree(cache, (line) => lines.push(line), [none, some])).toBe(join(cache, '6.5.5'))
  expect(lines).toEqual(['No WordPress from nowhere: no route to host'])
  expect(await findTree(cache, (line) => lines.push(line), [none])).toBe(join(cache, '6.5.5'))
})

it('names the folder for a WordPress of one’s own where no source has any', async () => {
  const none = { name: 'nowhere', unpack: () => Promise.reject(new Error('no route to host')) }
  await expect(findTree(cache, () => {}, [none])).rejects.toMatchObject({
    code: 'wordpress_unavailable',
    message: expect.stringContaining(`${cache}/VERSION/wp-load.php`),
    details: ['No WordPress from nowhere: no route to host'],
  })
})
