import { copyFile, mkdir } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import { workerPrograms } from '../src/generation/worker-threads.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

/**
 * Packages that are loaded from node_modules: native code (sharp), those that read files beside their own code (libopus), what
 * an operator may add (eSpeak NG), and what pg tries to load and nobody has.
 */
const external = ['sharp', '@evan/opus', '@echogarden/espeak-ng-emscripten', 'pg-native']

/** Packages that are CommonJS call `require` for Node's own modules, which ES modules do not have. */
const requireForCommonJs = `import { createRequire as createRequireOfBundle } from 'node:module'
const require = createRequireOfBundle(import.meta.url)`

/**
 * Bundles a program with its packages as ES modules: `NAME.js`, a file for each worker thread, and chunks. What is imported by
 * `import()` is a chunk of its own, loaded when it is asked for.
 *
 * @param entry the program, as a path from the root of the repository
 * @param changes for tests, to faults of Galley's own
 * @returns the file to start
 */
export async function bundleGalley(
  entry: string,
  outdir: string,
  { banner = '', ...changes }: Pick<BuildOptions, 'plugins' | 'sourcemap'> & { banner?: string } = {},
): Promise<string> {
  const { name } = parse(entry)
  const threads = Object.entries(workerPrograms).map(([out, file]) => ({
    in: join('src/generation', file),
    out,
  }))
  await build({
    absWorkingDir: root,
    entryPoints: [{ in: entry, out: name }, ...threads],
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    external,
    banner: { js: `${requireForCommonJs}\n${banner}` },
    logLevel: 'warning',
    ...changes,
  })
  await copyDocs(outdir)
  return join(outdir, `${name}.js`)
}

/** The files that the page at /docs loads. The package itself is a development package. */
async function copyDocs(outdir: string): Promise<void> {
  const folder = join(outdir, 'swagger-ui')
  await mkdir(folder, { recursive: true })
  for (const name of [
    'swagger-ui.css',
    'swagger-ui-bundle.js',
    'swagger-ui-bundle.js.LICENSE.txt',
    'LICENSE',
    'NOTICE',
  ])
    await copyFile(join(root, 'node_modules/swagger-ui-dist', name), join(folder, name))
}
