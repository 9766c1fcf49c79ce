import { dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type BuildOptions, type BuildResult, build, type Plugin } from 'esbuild'

/**
 * Found in node_modules when it is asked for: packages that read files of their own, and one that pg tries and that
 * nobody has.
 */
const external = ['graphile-worker', '@prisma/schema-engine-wasm', 'pg-native']

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

/** A bundle of modules has no `require` of its own, which packages in CommonJS call. */
const requireInModules =
  "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);"

/**
 * Writes a program and the packages it runs on as few files. Node finds, reads and compiles one module after another,
 * and with a thousand of them that took longer than everything else at the start.
 *
 * What is loaded only when it is asked for (`await import(…)`) becomes a file of its own.
 *
 * @param entry the program, as a path from the root of the repository
 * @param changes for tests, to faults of Galley's own
 */
export const bundleGalley = (
  entry: string,
  outdir: string,
  {
    banner,
    plugins = [],
    ...changes
  }: Pick<BuildOptions, 'plugins' | 'sourcemap'> & { banner?: string } = {},
): Promise<BuildResult> =>
  build({
    absWorkingDir: fileURLToPath(new URL('../', import.meta.url)),
    entryPoints: [entry],
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    external,
    plugins: [compilerAsFile, ...plugins],
    banner: { js: [requireInModules, banner].join('') },
    legalComments: 'none',
    logLevel: 'warning',
    ...changes,
  })
