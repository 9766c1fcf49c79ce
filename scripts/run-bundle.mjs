/**
 * What stands in dist as `main.js`: runs the bundle beside it, `main.cjs`. V8's code cache (`main.cache`) spares it most
 * of the compiling. It was recorded by the Node that built; another Node, which cannot use it, compiles.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Script } from 'node:vm'

const beside = (end) => new URL(import.meta.url.replace(/\.js$/, end))
const bundle = beside('.cjs')
const cache = beside('.cache')

/** For whoever records the cache. */
export const script = new Script(readFileSync(bundle, 'utf8'), {
  filename: bundle.href,
  cachedData: existsSync(cache) ? readFileSync(cache) : undefined,
})
script.runInThisContext()(createRequire(bundle), bundle.href)
