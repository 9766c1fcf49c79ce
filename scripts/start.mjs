#!/usr/bin/env node
/**
 * `npm start`, and the package's command: starts what was built, or says in words why it cannot. Plain JavaScript of a
 * few years ago, so that an old Node gets as far as the sentence about itself.
 */
import { existsSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** Beside Galley, or further up: where it is a package itself, its packages stand beside it. */
const installed = (name) =>
  createRequire(import.meta.url)
    .resolve.paths(name)
    .some((folder) => basename(folder) === 'node_modules' && existsSync(join(folder, name)))

function obstacle() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19))
    return `Galley needs Node 20.19 or newer, and this is Node ${process.versions.node}. Install a newer one from https://nodejs.org`
  if (!installed('express')) return 'Galley is not installed yet: its packages are missing. Run: npm ci'
  if (!existsSync(here('dist/main.js')))
    return 'Galley is not built yet: the folder dist is missing. Run: npm ci (or, with the packages in place: npm run build)'
  return undefined
}

const found = obstacle()
if (found === undefined) {
  // Node 22.8 and newer keep the compiled code for the next start.
  module.enableCompileCache?.()
  await import('../dist/main.js')
} else {
  console.error(found)
  process.exitCode = 1
}
