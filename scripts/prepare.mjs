/**
 * `npm ci` runs it: builds `dist`. Without the development packages (`npm ci --omit=dev`) there is nothing to build with,
 * and `dist` comes from elsewhere, as in the last stage of a container image.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const installed = (name) => {
  try {
    return createRequire(import.meta.url).resolve(`${name}/package.json`) !== ''
  } catch {
    return false
  }
}

if (installed('esbuild')) {
  const { status, error } = spawnSync('npm', ['run', 'build'], { stdio: 'inherit', shell: true })
  if (error) throw error
  process.exitCode = status ?? 1
} else if (!existsSync(fileURLToPath(new URL('../dist/main.js', import.meta.url)))) {
  console.log(
    'Galley was not built, for the development packages are left out: bring dist from a full `npm ci`.',
  )
}
