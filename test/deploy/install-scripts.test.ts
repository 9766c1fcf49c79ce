import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'))

it('lets no package that is installed run a script, and says so of each that would', () => {
  const packages: Record<string, { hasInstallScript?: boolean; name?: string }> =
    read('package-lock.json').packages
  const withScript = Object.entries(packages)
    .filter(([path, { hasInstallScript }]) => path.includes('node_modules/') && hasInstallScript)
    .map(([path, { name }]) => name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
  expect(withScript).toContain('esbuild')
  const refused = Object.fromEntries(withScript.sort().map((name) => [name, false]))
  expect(read('package.json').allowScripts).toEqual(refused)
})
