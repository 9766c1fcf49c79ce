import { fileURLToPath } from 'node:url'
import { type BuildOptions, type BuildResult, build } from 'esbuild'

/**
 * Found in node_modules when it is asked for: packages that read files of their own, and one that pg tries and that
 * nobody has.
 */
const external = ['graphile-worker', '@prisma/schema-engine-wasm', 'pg-native']

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
  { banner, ...changes }: Pick<BuildOptions, 'plugins' | 'sourcemap'> & { banner?: string } = {},
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
    banner: { js: [requireInModules, banner].join('') },
    legalComments: 'none',
    logLevel: 'warning',
    ...changes,
  })
