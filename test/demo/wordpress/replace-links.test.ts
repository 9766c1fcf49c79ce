import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { replaceLinks } from '../../../demo/wordpress/replace-links.ts'

let root: string
let tree: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'galley-test-links-'))
  tree = join(root, 'usr/share/wordpress')
  await mkdir(tree, { recursive: true })
  await mkdir(join(root, 'usr/share/javascript'))
  await writeFile(join(root, 'usr/share/javascript/lodash.js'), 'lodash')
})

afterEach(() => rm(root, { recursive: true }))

it('puts the file in the place of a relative link', async () => {
  await symlink('../javascript/lodash.js', join(tree, 'lodash.js'))
  await replaceLinks(tree, root)
  expect((await lstat(join(tree, 'lodash.js'))).isFile()).toBe(true)
  expect(await readFile(join(tree, 'lodash.js'), 'utf8')).toBe('lodash')
})

it('reads an absolute link below the root, never on the machine', async () => {
  await symlink('/usr/share/javascript', join(tree, 'vendor'))
  await symlink('/etc/hostname', join(tree, 'hostname'))
  await replaceLinks(tree, root)
  expect(await readFile(join(tree, 'vendor/lodash.js'), 'utf8')).toBe('lodash')
  expect(await readdir(tree)).toEqual(['vendor'])
})
