import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Galley's own folder, with its `package.json` and its migrations: the nearest above this code that holds both. The code
 * lies in `src`, or, built, in files of `dist` that nothing else may rely on.
 */
export const packageRoot: string = above(dirname(fileURLToPath(import.meta.url)))

function above(folder: string): string {
  const found = ['package.json', 'prisma/migrations'].every((path) => existsSync(join(folder, path)))
  if (found) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('The code of Galley is no longer in its package')
  return above(parent)
}

const manifest = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
  version: string
}

export const VERSION = manifest.version

/**
 * Firewalls block bare library names and false browsers alike; an honest name, with an address where a site's
 * owner finds out who this is, passes.
 */
export const userAgent = (publicUrl: string): string => `Galley/${VERSION} (+${publicUrl})`
