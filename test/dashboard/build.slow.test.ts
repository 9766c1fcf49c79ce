import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { buildDashboard } from '../../scripts/build-dashboard.ts'

test('the page is built for production, whatever NODE_ENV is where it is built', async () => {
  const before = process.env.NODE_ENV
  const folder = await mkdtemp(join(tmpdir(), 'galley-page-'))
  onTestFinished(async () => {
    process.env.NODE_ENV = before
    await rm(folder, { recursive: true })
  })
  process.env.NODE_ENV = 'test'
  await buildDashboard(folder)

  const assets = join(folder, 'assets')
  const scripts = (await readdir(assets)).filter((name) => name.endsWith('.js'))
  expect(scripts.length).toBeGreaterThan(10)
  for (const name of scripts) expect(await readFile(join(assets, name), 'utf8'), name).not.toContain('jsxDEV')
})
