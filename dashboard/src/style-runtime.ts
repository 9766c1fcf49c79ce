/**
 * Where the components of `@wordpress` put their styles. Theirs writes style elements, which the policy of the page refuses;
 * ours, which must be there before any of them is loaded, adopts style sheets instead, and the policy allows these.
 * (Their side of it is the package `@wordpress/style-runtime`.)
 */
interface StyleRuntime {
  /** Documents to write style elements into: none, whoever registers one. */
  documents: Pick<Map<Document, number>, 'get' | 'set' | 'delete' | 'keys'>
  styles: { set(hash: string, css: string): unknown; [Symbol.iterator](): Iterator<never> }
  injectedStyles: WeakMap<Document, Set<string>>
}

const adopted = new Set<string>()

const runtime: StyleRuntime = {
  documents: {
    get: () => undefined,
    set: () => new Map(),
    delete: () => false,
    keys: () => new Map<Document, number>().keys(),
  },
  styles: {
    set(hash, css) {
      if (adopted.has(hash)) return
      adopted.add(hash)
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(css)
      document.adoptedStyleSheets.push(sheet)
    },
    [Symbol.iterator]: () => [][Symbol.iterator](),
  },
  injectedStyles: new WeakMap(),
}

Object.assign(globalThis, { __wpStyleRuntime: runtime })
