import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join, parse } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { bundleWorkers } from './bundle-workers.ts'
import { withStandIns } from './stand-ins.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

/**
 * What makes and sends traces: found where it is installed, by who has them sent. `@opentelemetry/api` is none of them: others
 * load it at every start.
 */
const traces = [
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-base',
]

/**
 * pg tries `pg-native`, and nobody has it; sharp is native code, which is found where it is installed; the SDK of S3 is large,
 * and only who keeps files there needs it; so is what writes mail, for who sends some.
 */
const external = ['pg-native', 'sharp', '@aws-sdk/client-s3', 'nodemailer', ...traces]

/**
 * Prisma's query compiler lies in its package as a text of 4.6 MB, which would be compiled and kept with the code. Here
 * it is the file that it stands for.
 */
const compilerAsFile: Plugin = {
  name: 'compiler as a file',
  setup({ onLoad, onResolve }) {
    const text = /query_compiler_\w+\.postgresql\.wasm-base64\.mjs$/
    onLoad({ filter: text, namespace: 'file' }, ({ path }) => ({
      resolveDir: dirname(path),
      contents: `import { readFileSync } from 'node:fs'
        import file from ${JSON.stringify(`${path}?bytes`)}
        export const wasm = readFileSync(new URL(file, import.meta.url))`,
    }))
    onResolve({ filter: /\.mjs\?bytes$/ }, ({ path }) => ({
      path: path.replace('.wasm-base64.mjs?bytes', '.wasm'),
      namespace: 'bytes',
    }))
    onLoad({ filter: /\.wasm$/, namespace: 'bytes' }, async ({ path }) => {
      const { href } = pathToFileURL(path.replace('.wasm', '.wasm-base64.mjs'))
      const { wasm } = (await import(href)) as { wasm: string }
      return { contents: Buffer.from(wasm, 'base64'), loader: 'file' }
    })
  },
}

/** The bundle is one function, which run-bundle.mjs calls with what CommonJS has, and the address of the file. */
const wrapped = { before: '(function (require, bundleUrl) {', after: '})' }

/**
 * Writes a program and the packages it runs on as one file, and `NAME.js` beside it, which runs it. Node finds, reads and
 * compiles one module after another, and with a thousand of them that took longer than everything else at the start.
 * One script, and no modules: V8's code cache is for scripts ({@link recordCode}). Beside it lie the programs of its
 * worker threads ({@link bundleWorkers}).
 *
 * What is loaded only when it is asked for (`await import(…)`) is in the file, and runs when it is asked for.
 *
 * @param entry the program, as a path from the root of the repository
 * @param changes for tests, to faults of Galley's own
 * @returns the file to start
 */
export async function bundleGalley(
  entry: string,
  outdir: string,
  {
    banner = '',
    plugins = [],
    ...changes
  }: Pick<BuildOptions, 'plugins' | 'sourcemap'> & { banner?: string } = {},
): Promise<string> {
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    external,
    define: { 'import.meta.url': 'bundleUrl' },
    // A script that comes from a code cache cannot import; what is imported here is in the bundle, or Node's own.
    supported: { 'dynamic-import': false },
    plugins: [compilerAsFile, withStandIns, ...plugins],
    banner: { js: `${wrapped.before}${banner}` },
    footer: { js: wrapped.after },
    legalComments: 'none',
    // V8 keeps the text of a script for as long as it runs: 2 MB less. Lines stay short enough for a stack to name a place.
    minifyWhitespace: true,
    lineLimit: 160,
    logLevel: 'warning',
    ...changes,
  })
  await bundleWorkers(outdir)
  await copyDocs(outdir)
  const file = join(outdir, `${parse(entry).name}.js`)
  await copyFile(join(root, 'scripts/run-bundle.mjs'), file)
  return file
}

/** What the page at /docs loads. The package itself is none of an installation's: it would report that it was installed. */
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
