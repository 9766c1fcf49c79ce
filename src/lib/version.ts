import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Galley's own folder, with `package.json` and migrations: the nearest above this code, in `src` or in `dist`. */
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

/** Firewalls block bare library names and false browsers; an honest name with an address to look it up passes. */
export const userAgent = (publicUrl: string): string => `Galley/${VERSION} (+${publicUrl})`
