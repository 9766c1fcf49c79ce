import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { type DOMWindow, JSDOM, VirtualConsole } from 'jsdom'

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

/** What `script-loader-packages.php` is made of: nested `array(…)` literals of quoted strings. */
export type PhpValue = string | PhpValue[] | { [key: string]: PhpValue }

const token = /'((?:[^'\\]|\\.)*)'|(array\s*\()|(\))|(=>)|(,)|(\s+)/y

/**
 * Reads a PHP file that returns one array literal, so that WordPress's own list of script dependencies can
 * be used where no PHP is installed.
 * @throws Error naming the offset, where the file holds anything but strings and arrays.
 */
export function parsePhpArray(source: string): PhpValue {
  const start = source.indexOf('return') + 'return'.length
  const tokens: string[] = []
  token.lastIndex = start
  while (token.lastIndex < source.length && source[token.lastIndex] !== ';') {
    const at = token.lastIndex
    const match = token.exec(source)
    if (match === null)
      throw new Error(`not an array of strings at offset ${at}: ${source.slice(at, at + 40)}`)
    const [, text, open, close, arrow, comma] = match
    if (text !== undefined) tokens.push(`'${text.replace(/\\(.)/g, '$1')}`)
    else if (open) tokens.push('(')
    else if (close || arrow || comma) tokens.push(close ?? arrow ?? ',')
  }
  return readValue(tokens.values())
}

function readValue(tokens: Iterator<string, undefined>, first = tokens.next().value): PhpValue {
  if (first?.startsWith("'")) return first.slice(1)
  if (first !== '(') throw new Error(`expected a string or an array, got ${first ?? 'the end'}`)
  const list: PhpValue[] = []
  const map: { [key: string]: PhpValue } = {}
  let key: string | undefined
  for (let next = tokens.next().value; next !== ')'; next = tokens.next().value) {
    if (next === undefined) throw new Error('an array is not closed')
    if (next === ',') continue
    if (next === '=>') {
      key = String(list.pop())
      map[key] = readValue(tokens)
    } else list.push(readValue(tokens, next))
  }
  return key === undefined ? list : map
}
