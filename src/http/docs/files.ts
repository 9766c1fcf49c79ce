import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageRoot } from '../../package-root.ts'
import { docsPage, docsProgram } from './page.ts'

/** A file of the page, which never changes under its name. */
interface DocsFile {
  name: string
  type: string
  bytes: Buffer
}

export interface Docs {
  page: string
  files: ReadonlyMap<string, DocsFile>
}

/** Beside the built program, where the build copies it to; else where the package is, in a clone. */
function swaggerFolder(): string {
  const beside = join(dirname(fileURLToPath(import.meta.url)), 'swagger-ui')
  return existsSync(beside) ? beside : join(packageRoot, 'node_modules/swagger-ui-dist')
}

/** The page and all that it loads: it works where no other server can be reached. */
export async function loadDocs(): Promise<Docs> {
  const folder = swaggerFolder()
  const [style, library] = await Promise.all([
    readFile(join(folder, 'swagger-ui.css')),
    readFile(join(folder, 'swagger-ui-bundle.js')),
  ])
  const files = {
    style: named('swagger-ui', 'css', 'text/css', style),
    library: named('swagger-ui', 'js', 'text/javascript', library),
    program: named('docs', 'js', 'text/javascript', Buffer.from(docsProgram)),
  }
  const address = ({ name }: DocsFile) => `/docs/${name}`
  return {
    page: docsPage({
      style: address(files.style),
      library: address(files.library),
      program: address(files.program),
    }),
    files: new Map(Object.values(files).map((file) => [file.name, file])),
  }
}

/** Its name says what is in it, so that caches may keep it for ever. */
function named(name: string, extension: string, type: string, bytes: Buffer): DocsFile {
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  return { name: `${name}.${digest}.${extension}`, type: `${type}; charset=utf-8`, bytes }
}
