import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { bundleGalley } from '../../../scripts/bundle-galley.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

test('bundled as Galley is, pages are read and cards are set: threads, fonts and native packages are found', async () => {
  // Within the repository, as `dist` is: packages that are not in the bundle are found from there.
  const folder = await mkdtemp(join(root, 'node_modules', '.galley-bundled-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = await bundleGalley('test/generation/bundled/program.ts', folder)
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: folder })
  expect(JSON.parse(stdout)).toEqual({ title: 'Shade', text: 'Trees cool', png: 'PNG' })
})
