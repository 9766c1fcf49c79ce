import { readdir, readFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageRoot } from '../../package-root.ts'

/** A script, style sheet or picture of the page, whose name says what is in it. */
export interface PageFile {
  type: string
  path: string
  /** Whether it lies there compressed too, as `NAME.gz`. */
  gzip: boolean
}

/** The page as the build made it. */
export interface Page {
  html: string
  files: ReadonlyMap<string, PageFile>
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Beside the built program; else where the build put it, in a clone. */
const places = [
  join(dirname(fileURLToPath(import.meta.url)), 'dashboard'),
  join(packageRoot, 'dist/dashboard'),
]

/** Reads what the page is made of, and not yet its files; undefined where nobody has built it. */
export async function loadPage(): Promise<Page | undefined> {
  for (const place of places) {
    const html = await readFile(join(place, 'index.html'), 'utf8').catch(absent)
    if (html !== undefined) return { html, files: await filesIn(join(place, 'assets')) }
  }
  return undefined
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const names = new Set(await readdir(folder))
  const found = [...names].flatMap((name): [string, PageFile][] => {
    const type = types[extname(name)]
    return type === undefined
      ? []
      : [[name, { type, path: join(folder, name), gzip: names.has(`${name}.gz`) }]]
  })
  return new Map(found)
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
