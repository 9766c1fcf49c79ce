import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { workerPrograms } from '../src/generation/worker-threads.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

/** Large, and found where they are installed. */
const large = ['linkedom', '@mozilla/readability']

/** What a person adds to Galley, or does not: found where it is installed, when a thread asks for it. */
const optional = ['@echogarden/espeak-ng-emscripten']

/** libopus reads its code from beside itself, and would look for it beside the bundle. Here the bundle has it. */
const opusInside: Plugin = {
  name: 'libopus inside',
  setup({ onLoad }) {
    onLoad({ filter: /@evan\/opus\/wasm\/index\.js$/ }, async ({ path }) => {
      const whole = await readFile(path, 'utf8')
      const reading = /require\('fs'\)\.readFileSync\(.*\.wasm`\)\)\)/.exec(whole)
      if (reading === null) throw new Error(`${path} is not what it was: where does it read its code?`)
      const contents = whole.replace(reading[0], `require('./simd.wasm'))`)
      return { contents, resolveDir: dirname(path), loader: 'js' }
    })
  },
}

/** Writes the programs of worker threads beside the bundle that starts them, each as one file with its packages. */
export async function bundleWorkers(outdir: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: Object.entries(workerPrograms).map(([out, file]) => ({
      in: join('src/generation', file),
      out,
    })),
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    external: [...optional, ...large],
    loader: { '.wasm': 'binary' },
    plugins: [opusInside],
    legalComments: 'none',
    logLevel: 'warning',
  })
}
