import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { type DOMWindow, JSDOM, VirtualConsole } from 'jsdom'
import { parsePhpArray } from './php-array.ts'

/** Scripts that WordPress loads beside its own packages, in the order in which they need each other. */
const vendorScripts = ['lodash', 'moment', 'react', 'react-dom', 'react-jsx-runtime']

/** A window in which the block library of the WordPress tree at `root` has run. */
export function loadBlockLibrary(root: string): DOMWindow {
  const dom = new JSDOM('<!doctype html><body></body>', {
    url: 'http://localhost/',
    runScripts: 'outside-only',
    pretendToBeVisual: true,
    virtualConsole: new VirtualConsole(),
  })
  Object.assign(dom.window, browserFeatures)
  const context = dom.getInternalVMContext()
  const dependencies = readDependencies(root)
  const loaded = new Set<string>()

  const run = (name: string): void => {
    const file = firstExisting(['.js', '.min.js'].map((end) => join(root, 'wp-includes/js/dist', name + end)))
    if (file) new Script(readFileSync(file, 'utf8'), { filename: file }).runInContext(context)
  }
  const load = (handle: string): void => {
    if (loaded.has(handle)) return
    loaded.add(handle)
    const needed = dependencies.get(handle)
    if (needed === undefined) return
    needed.forEach(load)
    run(handle.slice('wp-'.length))
  }
  for (const vendor of vendorScripts) run(`vendor/${vendor}`)
  // 6.1 looks for lodash under the name that WordPress gives it
  Object.assign(dom.window, { lodash: dom.window._ })
  load('wp-block-library')
  return dom.window
}

/** Script handle (`wp-blocks`) to the handles that must run before it. */
function readDependencies(root: string): Map<string, string[]> {
  const assets = join(root, 'wp-includes/assets')
  const file = firstExisting(
    ['script-loader-packages.php', 'script-loader-packages.min.php'].map((name) => join(assets, name)),
  )
  if (file === undefined) throw new Error(`no WordPress at ${root}: it has no script-loader-packages.php`)
  const packages = parsePhpArray(readFileSync(file, 'utf8')) as Record<string, { dependencies: string[] }>
  return new Map(
    Object.entries(packages).map(([name, { dependencies }]) => [
      `wp-${name.replace(/(\.min)?\.js$/, '')}`,
      dependencies,
    ]),
  )
}

const firstExisting = (files: string[]): string | undefined => files.find((file) => existsSync(file))

class Observer {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

/** What the editor's scripts touch while they load and jsdom does not have. */
const browserFeatures = {
  matchMedia: () => ({
    matches: false,
    addListener() {},
    removeListener() {},
    addEventListener() {},
    removeEventListener() {},
  }),
  ResizeObserver: Observer,
  IntersectionObserver: Observer,
  CSS: { escape: String, supports: () => false },
  TextEncoder,
  TextDecoder,
  structuredClone,
  setImmediate,
  fetch: () => new Promise<never>(() => {}),
}
