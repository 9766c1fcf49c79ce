import { rmSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Scale } from '../benchmark.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = join(root, '.cache', 'bench', String(process.pid))

let bundled: Promise<string> | undefined

/**
 * The file to start as Galley. Full runs measure `dist`, what `npm run build` made and what an owner runs; quick
 * ones prove the source at hand, whatever was built, as one file that starts fast.
 */
export async function galleyProgram(scale: Scale): Promise<string> {
  if (scale === 'full') return join(root, 'dist', 'main.js')
  bundled ??= bundle()
  return bundled
}

/** As deep below a folder as in `src`: Galley finds its migrations and its version by their place. */
async function bundle(): Promise<string> {
  const file = join(folder, 'src', 'database', 'main.mjs')
  await mkdir(join(folder, 'src', 'database'), { recursive: true })
  await build({
    entryPoints: [join(root, 'src', 'main.ts')],
    outfile: file,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  })
  for (const [target, link] of [
    ['prisma', join(folder, 'prisma')],
    ['package.json', join(folder, 'package.json')],
    ['package.json', join(folder, 'src', 'package.json')],
  ] as const)
    await symlink(join(root, target), link)
  process.once('exit', () => rmSync(folder, { recursive: true }))
  return file
}
