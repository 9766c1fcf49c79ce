import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleGalley } from '../../scripts/bundle-galley.ts'
import type { Scale } from '../benchmark.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = join(root, '.cache', 'bench', String(process.pid))

let bundled: Promise<string> | undefined

/**
 * The file to start as Galley. Full runs measure `dist`, what `npm run build` made and what an owner runs; quick
 * ones prove the source at hand, whatever was built.
 */
export async function galleyProgram(scale: Scale): Promise<string> {
  if (scale === 'full') return join(root, 'dist', 'main.js')
  bundled ??= bundle()
  return bundled
}

async function bundle(): Promise<string> {
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return bundleGalley('src/main.ts', folder)
}
