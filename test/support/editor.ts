import { formatWithOptions } from 'node:util'
import { shownPassages, visibleWords } from './editor/passages.ts'
import { loadBlockLibrary } from './editor/scripts.ts'

/** What WordPress's own block editor says about one post's markup. */
interface Verdict {
  /** Every block is valid and none was migrated from an older shape. */
  valid: boolean
  /** Saving the parsed post again gives the same bytes. */
  canonical: boolean
  /** What saving the parsed post gives. */
  saved: string
  /** Number of blocks, inner ones counted. */
  blocks: number
  invalid: { name: string; issues: string[] }[]
  /** Names of the blocks that were silently rewritten from an older shape. */
  migrated: string[]
  /** The post as the editor would save it, for a reader. */
  read(): Reading
}

/** What a reader finds in a page, in reading order. */
export interface Reading {
  words: string[]
  /** Where the words stand and how they are set off, see `shownPassages`. */
  passages: string[]
  /** What links, pictures and sounds say in their attributes. */
  attributes: Record<string, string>[]
}

export interface Editor {
  judge(markup: string): Verdict
  /** The words of notes that the meta of a post has, as its page shows them. */
  notes(footnotes: readonly { content: string }[]): string[]
  /** Reads any HTML, classic posts and shown pages included. */
  read(html: string): Reading
  /** Builds blocks as the editor does when a person inserts them, and saves them. */
  save(blocks: BlockTemplate[]): string
  /** The blocks of a post. */
  templates(markup: string): BlockTemplate[]
}

/** `[name, attributes, inner blocks]`, as the editor's own block templates. */
export type BlockTemplate = readonly [string, Record<string, unknown>, BlockTemplate[]?]

interface EditorBlock {
  name: string
  attributes: Record<string, unknown>
  isValid: boolean
  validationIssues?: { args: unknown[] }[]
  innerBlocks: EditorBlock[]
}

interface BlockScripts {
  blocks: {
    parse(markup: string): EditorBlock[]
    serialize(blocks: EditorBlock[]): string
    createBlock(name: string, attributes: object, inner: EditorBlock[]): EditorBlock
  }
  blockLibrary: { registerCoreBlocks(): void }
}

const editors = new Map<string, Editor>()

/**
 * The block editor of the WordPress tree at `root`, run in jsdom, so that every version judges for itself.
 * Loading takes a few seconds; one editor serves any number of posts.
 */
export function loadEditor(root: string): Editor {
  const editor = editors.get(root) ?? startEditor(root)
  editors.set(root, editor)
  return editor
}

function startEditor(root: string): Editor {
  const window = loadBlockLibrary(root)
  const { blocks, blockLibrary } = window.wp as BlockScripts
  const migrated: string[] = []
  blockLibrary.registerCoreBlocks()
  // the parser reports a migration on the console, and nowhere else
  Object.assign(window.console, {
    groupCollapsed: (_message: string, name: string) => migrated.push(name),
    groupEnd() {},
    info() {},
    error() {},
    warn() {},
    log() {},
  })

  const read = (html: string): Reading => {
    const page = window.document.createElement('div')
    page.innerHTML = html
    return {
      words: visibleWords(page),
      passages: shownPassages(page),
      // costly, and not always asked for
      get attributes() {
        return shownAttributes(page)
      },
    }
  }
  const create = ([name, attributes, inner = []]: BlockTemplate): EditorBlock =>
    blocks.createBlock(name, attributes, inner.map(create))

  return {
    judge(markup) {
      migrated.length = 0
      const top = blocks.parse(markup)
      const all = flatten(top)
      const invalid = all.filter(isInvalid).map(({ name, validationIssues }) => ({
        name,
        // the last issue repeats the whole block type; the first ones say what differs
        issues: (validationIssues ?? [])
          .slice(0, -1)
          .map(({ args }) => formatWithOptions({ depth: 0 }, ...args)),
      }))
      const saved = blocks.serialize(top)
      return {
        valid: invalid.length === 0 && migrated.length === 0,
        canonical: saved === markup,
        saved,
        blocks: all.length,
        invalid,
        migrated: [...migrated],
        read: () => read(saved),
      }
    },
    read,
    templates: (markup) => blocks.parse(markup).map(templateOf),
    notes: (footnotes) => footnotes.flatMap(({ content }) => [...read(content).words, '↩\ufe0e']),
    save: (templates) => blocks.serialize(templates.map(create)),
  }
}

/** Texts as HTML, which a parsed block has as objects of its own. */
const templateOf = ({ name, attributes, innerBlocks }: EditorBlock): BlockTemplate => [
  name,
  JSON.parse(JSON.stringify(attributes)),
  innerBlocks.map(templateOf),
]

const flatten = (list: EditorBlock[]): EditorBlock[] =>
  list.flatMap((block) => [block, ...flatten(block.innerBlocks)])

/** `core/freeform` and `core/missing` are what the parser makes of what it does not know. */
const isInvalid = ({ name, isValid }: EditorBlock): boolean =>
  !isValid || name === 'core/freeform' || name === 'core/missing'

const names = ['href', 'src', 'alt', 'title'] as const

/** What links, pictures and sounds say in their attributes, in reading order. */
export const shownAttributes = (root: Element): Record<string, string>[] =>
  [...root.querySelectorAll('a, img, audio')].map((element) =>
    Object.fromEntries(
      names.flatMap((name) => (element.hasAttribute(name) ? [[name, element.getAttribute(name) ?? '']] : [])),
    ),
  )
