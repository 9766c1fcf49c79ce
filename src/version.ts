import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from './package-root.ts'

const manifest = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
  version: string
}

export const VERSION = manifest.version

/**
 * Firewalls block bare library names and false browsers alike; an honest name, with an address where a site's
 * owner finds out who this is, passes.
 */
export const userAgent = (publicUrl: string): string => `Galley/${VERSION} (+${publicUrl})`
