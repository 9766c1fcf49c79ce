import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ESTree, parseSync, Visitor } from 'vite'

/** A regular expression as it stands in a source file. */
export interface Pattern {
  source: string
  flags: string
  /** `src/render/escape.ts:12`. */
  at: string
}

/** Every source file below `folder`, but for what Prisma generates. */
export const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('generated'))
    .map((name) => join(folder, name))
    .sort()

/** String methods that make a pattern of a string that they are given. */
const takePatterns = new Set(['match', 'matchAll', 'search'])

/**
 * Every regular expression of a file: literals, and what is made of constant strings by `RegExp`.
 * @throws where one is made of anything else: nobody could say how long it takes
 */
export function patternsOf(file: string, text = readFileSync(file, 'utf8')): Pattern[] {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`)
  const at = ({ start }: ESTree.Span) => `${file}:${text.slice(0, start).split('\n').length}`
  const constants = new Map<string, ESTree.Expression>()
  const patterns: Pattern[] = []

  const made = (node: ESTree.CallExpression | ESTree.NewExpression) => {
    const [source, flags] = node.arguments.map((argument) => stringOf(argument, constants))
    if (source === undefined || (node.arguments.length > 1 && flags === undefined))
      throw new Error(`${at(node)}: a RegExp of what is not constant`)
    patterns.push({ source, flags: flags ?? '', at: at(node) })
  }
  const isRegExp = ({ callee }: ESTree.CallExpression | ESTree.NewExpression) =>
    callee.type === 'Identifier' && callee.name === 'RegExp'

  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && init !== null) constants.set(id.name, init)
    },
  }).visit(program)
  new Visitor({
    Literal(node) {
      if ('regex' in node)
        patterns.push({ source: node.regex.pattern, flags: node.regex.flags, at: at(node) })
    },
    NewExpression: (node) => (isRegExp(node) ? made(node) : undefined),
    CallExpression(node) {
      if (isRegExp(node)) made(node)
      const { callee, arguments: given } = node
      const method = callee.type === 'MemberExpression' && !callee.computed ? callee.property.name : ''
      const source = given[0] && takePatterns.has(method) ? stringOf(given[0], constants) : undefined
      if (source !== undefined) patterns.push({ source, flags: '', at: at(node) })
    },
  }).visit(program)
  return patterns
}

/** The value of a string that is written out, also in parts; undefined for any other expression. */
function stringOf(node: ESTree.Node, constants: ReadonlyMap<string, ESTree.Expression>): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type === 'Identifier') {
    const value = constants.get(node.name)
    return value && stringOf(value, constants)
  }
  if (node.type === 'MemberExpression' && node.object.type === 'Literal' && 'regex' in node.object)
    return node.object.regex.pattern
  if (node.type === 'TaggedTemplateExpression') return templateOf(node.quasi, 'raw', constants)
  return node.type === 'TemplateLiteral' ? templateOf(node, 'cooked', constants) : undefined
}

function templateOf(
  { quasis, expressions }: ESTree.TemplateLiteral,
  kind: 'raw' | 'cooked',
  constants: ReadonlyMap<string, ESTree.Expression>,
): string | undefined {
  const values = expressions.map((expression) => stringOf(expression, constants))
  if (values.includes(undefined)) return undefined
  return quasis.map(({ value }, index) => `${value[kind] ?? ''}${values[index] ?? ''}`).join('')
}
