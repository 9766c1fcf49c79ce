import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { build } from 'vite'

const root = fileURLToPath(new URL('../', import.meta.url))
const compress = promisify(gzip)

/** What compression makes smaller. */
const texts = new Set(['.js', '.css', '.svg', '.json'])

/**
 * Writes the page at `/` to a folder: `index.html` and the files that it loads, each beside itself compressed, so that nobody
 * compresses them again for every browser. Beside them what the pages for owners share: the mark, the look and the
 * translations.
 */
export async function buildDashboard(outDir: string): Promise<void> {
  // Vite takes another value from who runs it, as a test runner is: React would come as it is for development, twice as
  // large, and the components would write style elements.
  process.env.NODE_ENV = 'production'
  await build({ configFile: join(root, 'dashboard/vite.config.ts'), build: { outDir }, logLevel: 'warn' })
  for (const name of [
    'src/icon.svg',
    'src/styles/look.css',
    'src/styles/page.css',
    'languages/server/de.json',
  ])
    await copyFile(join(root, 'dashboard', name), join(outDir, basename(name)))
  const assets = join(outDir, 'assets')
  for (const name of await readdir(assets))
    if (texts.has(extname(name))) {
      const path = join(assets, name)
      await writeFile(`${path}.gz`, await smallest(await readFile(path)))
    }
}

/** Compressed in the way that suits it: blocks of another length make some files half a percent smaller. */
async function smallest(file: Buffer): Promise<Buffer> {
  const tried = await Promise.all([5, 6, 7, 8, 9].map((memLevel) => compress(file, { level: 9, memLevel })))
  return tried.reduce((best, one) => (one.length < best.length ? one : best))
}
