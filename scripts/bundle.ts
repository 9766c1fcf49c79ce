import { copyFile, mkdir } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import { workerPrograms } from '../src/lib/worker-threads.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

/** Packages that are not bundled. */
const external = [
  // Native code, and what reads files beside its own code.
  'sharp',
  '@evan/opus',
  // Optional: an operator adds the first, and nobody has what pg tries to load.
  '@echogarden/espeak-ng-emscripten',
  'pg-native',
  // Loaded by import() where files are kept in S3, mail is sent, or traces are: they are CommonJS, whose names esbuild does not
  // see in an import().
  '@aws-sdk/client-s3',
  'nodemailer',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-base',
]

/** Packages that are CommonJS have `require` for Node's own modules, and `__dirname`, which ES modules do not have. */
const requireForCommonJs = `import { createRequire as createRequireOfBundle } from 'node:module'
const require = createRequireOfBundle(import.meta.url)
const folderOfBundle = import.meta.dirname`

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
    in: join('src/lib', file),
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
    define: { __dirname: 'folderOfBundle' },
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
