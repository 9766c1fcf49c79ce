/**
 * npm run translations: brings each file of dashboard/languages up to date with the texts of the page, and each of
 * dashboard/languages/server with the sentences of the server. What it does not have yet is "" there, and what is said no more is gone. A
 * test fails where something is missing.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vite'
import { messagesOfServer } from './messages.ts'

const page = fileURLToPath(new URL('../dashboard/', import.meta.url))

/** A text and, where it has one, its plural. */
export type Texts = ReadonlyMap<string, string | undefined>

/** As `@wordpress/i18n` takes them: forms by the English singular; what is about the language itself under "". */
export type Catalogue = Record<string, string[] | Record<string, string>>

/** Every text of the page. */
export const textsOfPage = (): Texts =>
  new Map(
    readdirSync(join(page, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => ['.ts', '.tsx'].includes(extname(name)))
      .flatMap((name) => [...textsIn(readFileSync(join(page, 'src', name), 'utf8'))]),
  )

/** The texts that a source hands to `__`, `_x`, `_n` and `_nx`. A context is part of the key, as in a Jed file. */
export function textsIn(source: string): Texts {
  const found = new Map<string, string | undefined>()
  walk(parseAst(source, { lang: 'tsx' }), ({ type, callee, arguments: args = [] }) => {
    if (type !== 'CallExpression' || callee?.type !== 'Identifier') return
    const text = (index: number) =>
      typeof args[index]?.value === 'string' ? String(args[index].value) : undefined
    const [first, second] = [text(0), text(1)]
    if (first === undefined) return
    if (callee.name === '__') found.set(first, undefined)
    if (callee.name === '_n') found.set(first, second)
    if (callee.name === '_x') found.set(`${second}\u0004${first}`, undefined)
    if (callee.name === '_nx') found.set(`${text(3)}\u0004${first}`, second)
  })
  return found
}

interface Node {
  type?: string
  name?: string
  value?: unknown
  callee?: Node
  arguments?: Node[]
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return
  if ('type' in value) visit(value as Node)
  for (const part of Object.values(value)) walk(part, visit)
}

/** A catalogue with exactly these texts, in the order of the alphabet. */
export function upToDate(catalogue: Catalogue, texts: Texts): Catalogue {
  const entries = [...texts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([text, plural]) => {
      const forms = catalogue[text]
      return [text, Array.isArray(forms) ? forms : plural === undefined ? [''] : ['', '']]
    })
  return { '': catalogue[''] ?? {}, ...Object.fromEntries(entries) }
}

/** Each text on a line of its own, so that two who add some rarely meet. */
export const written = (catalogue: Catalogue): string =>
  `{\n${Object.entries(catalogue)
    .map(([text, forms]) => `  ${JSON.stringify(text)}: ${JSON.stringify(forms)}`)
    .join(',\n')}\n}\n`

/** Texts of a catalogue that nobody has translated yet. */
export const missing = (catalogue: Catalogue): string[] =>
  Object.entries(catalogue).flatMap(([text, forms]) =>
    Array.isArray(forms) && forms.some((form) => form === '') ? [text] : [],
  )

/** The languages and where they are. */
export const catalogues = (): [path: string, catalogue: Catalogue][] => filesIn('languages')

/** Translations of what the server says, by its English. */
export type Sentences = Record<string, string>

export const sentenceCatalogues = (): [path: string, sentences: Sentences][] => filesIn('languages/server')

function filesIn<Content>(folder: string): [path: string, content: Content][] {
  const names = readdirSync(join(page, folder)).filter((name) => extname(name) === '.json')
  return names.map((name) => {
    const path = join(page, folder, name)
    return [path, JSON.parse(readFileSync(path, 'utf8'))]
  })
}

/** Rooms whose sentences people read on the page. Of the others, which programs and operators read, those stay that are translated. */
const roomsForPeople =
  /^(backfill|blocks|bulk|connect|contract|delivery|formats|generation\/(api|failure|jobs|pipeline|providers\/(?!settings)|storage)|http\/(app|endpoint|error-response|site-access|routers)|notifications|outbound|render|sites|sources|upstream|wordpress)\b/

/** Sentences with exactly what the server says, in the order of the alphabet. */
export const sentencesUpToDate = (sentences: Sentences): Sentences =>
  Object.fromEntries(
    messagesOfServer()
      .filter(({ text, file }) => sentences[text] !== undefined || roomsForPeople.test(file))
      .map(({ text }): [string, string] => [text, sentences[text] ?? ''])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const texts = textsOfPage()
  for (const [path, catalogue] of catalogues()) {
    const next = upToDate(catalogue, texts)
    writeFileSync(path, written(next))
    for (const text of missing(next)) console.log(`${path}: ${text}`)
  }
  for (const [path, sentences] of sentenceCatalogues()) {
    const next = sentencesUpToDate(sentences)
    writeFileSync(path, `${JSON.stringify(next, null, 2)}\n`)
    for (const text of Object.keys(next)) if (next[text] === '') console.log(`${path}: ${text}`)
  }
}
