import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ESTree, parseSync, Visitor } from 'vite'

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
  return [...new Map(found.map((message) => [`${message.code}\n${message.text}`, message])).values()].sort(
    (one, other) => one.code.localeCompare(other.code, 'en'),
  )
}

/**
 * Objects with a `code` and a `message`, calls with both as their arguments, the catalogues of failures (what happened, what to do, while
 * doing what), and the lines of a check (`line.slugs.ok(…)`).
 */
function messagesIn(code: string, name: string): Message[] {
  const found: Message[] = []
  const add = (of: string, node: ESTree.Node | undefined) => {
    for (const text of node === undefined ? [] : textsOf(node, code))
      if (/[a-z] ?[a-z]{3}/.test(text.replace(/\{[^}]*\}/g, '')) && text.includes(' '))
        found.push({ code: of, text, file: name })
  }
  new Visitor({
    Property({ key, value }) {
      if (key.type === 'Identifier' && key.name === 'doing') add(key.name, value)
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
      if (of !== undefined) add(of, members.get('message'))
      if (members.has('happened')) for (const part of ['happened', 'todo']) add(name, members.get(part))
    },
    CallExpression({ callee, arguments: [first, second, ...rest] }) {
      const failure = callee.type === 'Identifier' && /Failure$/.test(callee.name) ? callee.name : undefined
      if (failure !== undefined && name.endsWith('catalogue.ts'))
        for (const argument of [first, second, ...rest]) add(failure, argument)
      const check = checkOf(callee)
      if (check !== undefined) for (const argument of [first, second, ...rest]) add(check, argument)
      const of = codeOf(first)
      if (of !== undefined) add(of, second)
    },
  }).visit(parseSync(name, code).program)
  return found
}

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

/** What a text can be, with `{name}` for what is put in by its name and `{…}` for what is worked out. */
function textsOf(node: ESTree.Node, code: string): string[] {
  const inner = (part: ESTree.Node) => textsOf(part, code)
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
  if (node.type === 'MemberExpression' && node.object.type === 'ObjectExpression')
    return node.object.properties.flatMap((one) => (one.type === 'Property' ? inner(one.value) : []))
  if (node.type === 'ArrowFunctionExpression') return inner(node.body)
  // What a function makes is called by it: `{quotedClause}`.
  const named = node.type === 'CallExpression' ? node.callee : node
  const name = /(?:^|\.)(\w+)$/.exec(code.slice(named.start, named.end))?.[1]
  return [`{${name ?? '…'}}`]
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const { code, text } of messagesOfServer()) process.stdout.write(`${code}\n  ${text}\n`)
