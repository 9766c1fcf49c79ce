import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import budgets from '../../dashboard/budgets.json' with { type: 'json' }

// What a browser loads of the page that `npm run build` made, compressed as it is sent: docs/dashboard.md.

const dist = 'dist/dashboard'

interface Chunk {
  file: string
  src?: string
  css?: string[]
  assets?: string[]
  imports?: string[]
}

const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>

/** Files that are loaded for these chunks, with what they import in turn. */
function filesOf(names: string[], seen = new Set<string>()): Set<string> {
  const files = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) continue
    seen.add(name)
    const { file, css = [], imports = [] } = manifest[name] as Chunk
    for (const one of [file, ...css, ...filesOf(imports, seen)]) files.add(one)
  }
  return files
}

const size = (name: string): number => {
  const path = join(dist, name)
  return statSync(existsSync(`${path}.gz`) ? `${path}.gz` : path).size
}

const sum = (files: Iterable<string>): number => [...files].reduce((total, name) => total + size(name), 0)

const entry = 'index.html'
const app = 'src/app/app.tsx'
const views = Object.keys(manifest).filter((name) => /^src\/views\/.+\.tsx$/.test(name))

it('who signs in loads little', () => {
  const files = filesOf([entry])
  expect(files.size).toBeGreaterThan(1)
  expect(sum(files)).toBeLessThanOrEqual(budgets.signIn)
})

it('there are views, each with a chunk of its own', () => {
  expect(views).toContain('src/views/sites/list.tsx')
  expect(filesOf(['src/views/sites/list.tsx'])).not.toEqual(filesOf(['src/views/deliveries/list.tsx']))
})

it.each(views)('%s loads no more than a view may, with all that comes before it', (view) => {
  expect(sum(filesOf([entry, app, view]))).toBeLessThanOrEqual(budgets.view)
})
