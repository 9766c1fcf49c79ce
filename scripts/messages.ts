import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ESTree, parseSync, Visitor } from 'vite'
import { blocksByName } from '../src/blocks/index.ts'

/*
 * npm run messages prints what Galley says of failures, warnings and checks, by their codes. `{name}` stands for what is filled in.
 */

/** A sentence of the server, with its code or the name of its check. */
export interface Message {
  code: string
  text: string
  /** Its file, from `src`. */
  file: string
}

const source = fileURLToPath(new URL('../src/', import.meta.url))

/** All of them, from the source; each way that a sentence can end up is one. */
export function messagesOfServer(): Message[] {
  const found = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/generated|client\/api\.ts/.test(name))
    .flatMap((name) => messagesIn(readFileSync(join(source, name), 'utf8'), name))
  for (const { type } of blocksByName.values())
    found.push({ code: 'clause', text: `this ${type}`, file: 'blocks/read.ts' })
  return [...new Map(found.map((message) => [`${message.code}\n${message.text}`, message])).values()].sort(
    (one, other) => one.code.localeCompare(other.code, 'en'),
  )
}

/** What is said of a field, after its name, and other clauses that become parts of sentences. */
const CLAUSE =
  /^(\{message\}; got|“\{|\{shown\} is not known here|a block (of type|without)|a (column|list item|table cell|thing without a type)$|an entity of HTML$|(must|expected|is|has|names|leads|holds|needs|missing:|(text|research|pictures|speech) of|The most|first|file’s|there (is|are)|its (certificate|front page)|the intermediate|something that) )/

/** Methods that take a sentence, or the name of a place in a document, and which of their arguments it is. */
const METHODS: Readonly<Record<string, number>> = { leftOut: 0, changed: 0, note: 0, enter: 1 }

/** The same of functions and errors, whatever their code is. */
const FUNCTIONS: Readonly<Record<string, number>> = {
  ...{ refusal: 1, conflict: 1, tryLater: 1, jobFailure: 1, providerFailure: 0 },
  ...{ budgetExceeded: 0, tooManyCalls: 0, pictureNotFetched: 1, unusablePicture: 1, unreadableWav: 0 },
  // What cannot be decrypted or imported, and why.
  unreadable: 0,
}

/**
 * Objects with a `message` or a `sentence`, calls with both as their arguments, the catalogues of failures (what happened, what to do, while
 * doing what), and the lines of a check (`line.slugs.ok(…)`), warnings of formats,
 * what is said of a field, and what is counted.
 */
function messagesIn(code: string, name: string): Message[] {
  const found: Message[] = []
  const { program } = parseSync(name, code)
  const tables = tablesIn(program)
  const add = (of: string, node: ESTree.Node | undefined) => {
    for (const text of node === undefined ? [] : textsOf(node, code, tables))
      if (hasWords(text, /[a-z] ?[a-z]{3}/) && text.includes(' ')) found.push({ code: of, text, file: name })
  }
  const addCounted = (one: ESTree.Node | undefined, many: ESTree.Node | undefined) => {
    const [words, plurals] = [one, many].map((node) =>
      (node === undefined ? [] : textsOf(node, code, tables)).filter((text) => !text.includes('{')),
    ) as [string[], string[]]
    for (const word of [...words, ...(many === undefined ? words.map((word) => `${word}s`) : plurals)])
      found.push({ code: 'count', text: `{number} ${word}`, file: name })
  }
  const phrase = (node: ESTree.Node) => {
    for (const text of textsOf(node, code, tables))
      if (CLAUSE.test(text) && hasWords(text, /[a-z]{3}/) && !text.endsWith(' '))
        found.push({ code: 'clause', text, file: name })
  }
  // Advice of an error code, and what comes of a failure: whole sentences, joined later.
  const sentence = (node: ESTree.Node | null) => {
    for (const text of node !== null && /^(outbound|delivery)/.test(name) ? textsOf(node, code, tables) : [])
      if (/^[A-Z].* .*\.$/.test(text)) found.push({ code: 'sentence', text, file: name })
  }
  new Visitor({
    // The pages for owners are translated by their templates: `src/pages/page.ts`.
    TaggedTemplateExpression({ quasi: { quasis } }) {
      const text = quasis.map(({ value }, at) => (at === 0 ? '' : `{#${at}}`) + value.cooked).join('')
      if (name.startsWith('connect/pages') && hasWords(text.replace(/<[^>]*>/g, ''), /[a-z]{3}/))
        found.push({ code: 'page', text: text.replace(/\s+/g, ' ').trim(), file: name })
    },
    Literal: phrase,
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && /^(message|notice|remedy)$/i.test(id.name) && init) add('message', init)
      if (id.type === 'Identifier' && id.name === 'what' && name.startsWith('generation') && init)
        add('what', init)
      if (init?.type === 'Literal') sentence(init)
    },
    TemplateLiteral: phrase,
    ArrayExpression: ({ elements }) => elements.forEach(sentence),
    Property({ key, value }) {
      if (key.type === 'Identifier' && /^(doing|tell)$/.test(key.name)) add(key.name, value)
      if (key.type === 'Identifier' && key.name === 'what' && name.startsWith('generation'))
        add(key.name, value)
      if (
        key.type === 'Identifier' &&
        /^(heading|several|seen|means|todo)$/.test(key.name) &&
        name === 'notifications/outcomes.ts'
      )
        for (const text of textsOf(value, code, tables)) found.push({ code: key.name, text, file: name })
      if (key.type !== 'Identifier' || value.type !== 'CallExpression' || !name.endsWith('catalogue.ts'))
        return
      for (const argument of value.arguments) add(key.name, argument)
    },
    ObjectExpression({ properties }) {
      const members = new Map(
        properties.flatMap((property) =>
          property.type === 'Property' && property.key.type === 'Identifier'
            ? [[property.key.name, property.value]]
            : [],
        ),
      )
      const of = codeOf(members.get('code'))
      add(of ?? 'code', members.get('message'))
      const sentence = members.get('sentence')
      if (sentence?.type === 'TemplateLiteral')
        for (const text of textsOf(sentence, code, tables)) found.push({ code: 'sentence', text, file: name })
      if (members.has('happened')) for (const part of ['happened', 'todo']) add(name, members.get(part))
    },
    CallExpression({ callee, arguments: [first, second, ...rest] }) {
      if (callee.type === 'MemberExpression' && callee.property.type === 'Identifier')
        add(callee.property.name, [first, second][METHODS[callee.property.name] ?? 2])
      if (callee.type === 'Identifier' && callee.name === 'pluralize') addCounted(second, rest[0])
      // Templates of mails: `language.format('…')`.
      if (code.slice(callee.start, callee.end) === 'language.format' && first?.type === 'Literal')
        for (const text of textsOf(first, code, tables)) found.push({ code: 'mail', text, file: name })
      const failure = callee.type === 'Identifier' && /Failure$/.test(callee.name) ? callee.name : undefined
      if (failure !== undefined && name.endsWith('catalogue.ts'))
        for (const argument of [first, second, ...rest]) add(failure, argument)
      const check = checkOf(callee)
      if (check !== undefined) for (const argument of [first, second, ...rest]) add(check, argument)
      const called = callee.type === 'Identifier' ? callee.name : ''
      const of = codeOf(first) ?? (called in FUNCTIONS ? called : undefined)
      if (of !== undefined) add(of, [first, second][FUNCTIONS[called] ?? 1])
    },
    NewExpression({ callee, arguments: [first] }) {
      if (callee.type === 'Identifier' && callee.name === 'UnreadablePageError') add('unread', first)
    },
  }).visit(program)
  return found
}

const hasWords = (text: string, letters: RegExp): boolean => letters.test(text.replace(/\{[^}]*\}/g, ''))

const codeOf = (node: ESTree.Node | undefined): string | undefined =>
  node?.type === 'Literal' && typeof node.value === 'string' && /^[a-z]+(_[a-z]+)+$/i.test(node.value)
    ? node.value
    : undefined

/** The check of `line.CHECK.LEVEL`. */
function checkOf(callee: ESTree.Node): string | undefined {
  if (callee.type !== 'MemberExpression' || callee.object.type !== 'MemberExpression') return undefined
  const { object, property } = callee.object
  const isLine = object.type === 'Identifier' && object.name === 'line'
  return isLine && property.type === 'Identifier' ? property.name : undefined
}

type Tables = ReadonlyMap<string, ESTree.ObjectExpression>

/** Constants that are objects, by their names: what they hold is chosen from. */
function tablesIn(program: ESTree.Program): Tables {
  const tables = new Map<string, ESTree.ObjectExpression>()
  new Visitor({
    VariableDeclarator({ id, init }) {
      const value = init && withoutType(init)
      if (id.type === 'Identifier' && value?.type === 'ObjectExpression') tables.set(id.name, value)
    },
  }).visit(program)
  return tables
}

/** What stands before `as const` or `satisfies …`. */
const withoutType = (node: ESTree.Node): ESTree.Node =>
  node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression'
    ? withoutType(node.expression)
    : node

/** What a text can be, with `{name}` for what is put in by its name and `{…}` for what is worked out. */
function textsOf(typed: ESTree.Node, code: string, tables: Tables): string[] {
  const node = withoutType(typed)
  const inner = (part: ESTree.Node) => textsOf(part, code, tables)
  if (node.type === 'Literal' && typeof node.value === 'string') return [node.value]
  if (node.type === 'TemplateLiteral')
    return node.quasis.reduce<string[]>(
      (texts, { value }, n) => {
        const next = node.expressions[n]
        const endings = next === undefined ? [''] : inner(next)
        return texts.flatMap((text) => endings.map((ending) => text + value.cooked + ending))
      },
      [''],
    )
  if (node.type === 'BinaryExpression' && node.operator === '+')
    return inner(node.left).flatMap((left) => inner(node.right).map((right) => left + right))
  if (node.type === 'LogicalExpression' && node.operator === '??')
    return [...inner(node.left), ...inner(node.right)]
  if (node.type === 'ConditionalExpression') return [...inner(node.consequent), ...inner(node.alternate)]
  if (node.type === 'MemberExpression') {
    const { object } = node
    const table = object.type === 'Identifier' && node.computed ? tables.get(object.name) : object
    if (table?.type === 'ObjectExpression')
      return table.properties.flatMap((one) => (one.type === 'Property' ? inner(one.value) : []))
  }
  if (node.type === 'ArrowFunctionExpression') return inner(node.body)
  // What a function makes is called by it: `{quotedClause}`.
  const named = node.type === 'CallExpression' ? node.callee : node
  const name = /(?:^|\.)(\w+)$/.exec(code.slice(named.start, named.end))?.[1]
  return [`{${name ?? '…'}}`]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Who reads, `head` perhaps, has enough.
  process.stdout.on('error', () => process.exit())
  for (const { code, text } of messagesOfServer()) process.stdout.write(`${code}\n  ${text}\n`)
}
