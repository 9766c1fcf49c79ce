import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Made by tools, or other people's: not looked into. */
const closed = new Set(['node_modules', 'dist', 'generated', 'coverage'])

/** Kept though their names begin with a dot. */
const kept = new Set(['.ci', '.dockerignore', '.editorconfig', '.env.example', '.gitignore', '.nvmrc'])

/** Every file and folder of the repository, by its path from the root; folders end in a slash. */
export const paths: ReadonlySet<string> = new Set(walk(''))

function walk(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') && !kept.has(entry.name)) return []
    const path = `${folder}${entry.name}`
    if (!entry.isDirectory()) return [path]
    return closed.has(entry.name) ? [`${path}/`] : [`${path}/`, ...walk(`${path}/`)]
  })
}

export const read = (path: string): string => readFileSync(join(root, path), 'utf8')
