import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { type ESTree, parseSync, Visitor } from 'vite'

/**
 * Not read by people: settings of the look, what Prisma generates, posts that the doctor writes for itself, what language
 * models are asked, and scripts of shells and of the page of the API.
 */
const without =
  /\/(generated|client\/api\.ts|description\/examples\.ts|style\.ts|probes\/sample\.ts|text\/prompts|pictures\/prompt\.ts|research\/queries\.ts|cli\/completion\.ts)/

/** Statements of SQL, and pieces of one. */
const sql =
  /^\s*(--|WITH |SELECT |UPDATE |INSERT |DELETE FROM|CREATE |ALTER |DROP |SET |FROM |WHERE |WHEN |now\(\)|AND |OR |ON |ORDER BY|VALUES|RETURNING|CASE |JOIN |LEFT JOIN|LISTEN |BEGIN|COMMIT|LOCK |select |create database )|\b(INSERT INTO|UPDATE \w+ SET|SELECT .*\bFROM|DELETE FROM|RETURNING|ON CONFLICT|NULLS FIRST|IS NOT NULL|IS NULL|IN \('|jsonb_|graphile_worker\.)|=> now\(\)|->> '|= ANY \(|SKIP LOCKED|\b(coalesce|extract|to_char)\(|(\(|, )\w+ AS \(|\) AS \w+$|\.\w+ AS \w+|^(CLOSE|DECLARE|FETCH|UNION) |^NOT \w+\.|^'was', |, [a-z]+_[a-z]+, |= NULL, |\.status IN \(|::(int|text|jsonb|uuid)\b|\bnow\(\) |\barray_position\(|\bDESC\b|\) AND \{|\w AS \w+$|\.due_at\b/

/** Names of options and of connections, of which programs are the readers. */
const forPrograms = new Set([
  'case sensitive routing',
  'galley, migrating',
  'having maxPoolSize',
  'strict routing',
  'trust proxy',
  'unique id',
])

/** Headers, JavaScript, PHP, events of a stream, and what a model is asked beside its prompt. */
const code =
  /^(default|style|img)-src |max-age|filename=|^'use strict'|^add_action|^<!--|^(event|id|retry): \{|^alignnone |^(Basic|Bearer) \{|^Answer with one JSON/

/** Names in a row: of elements, of languages, of countries. */
const isList = (text: string): boolean =>
  /^[\w-]+( [\w-]+){7,}$/.test(text) &&
  !text.startsWith('galley ') &&
  (text.split(' ').length > 24 || !/\b(the|a|of|to|is|and|no|not|it|in|for|what|by|that|with)\b/.test(text))

/** At least two words, of which one is more than a name: what a person reads, and no identifier, path or pattern. */
const isSentence = (text: string): boolean =>
  /(^|[\s“"(])[\p{L}’']{2,}[,:;.]?\s+[\p{L}’'{“"`(]/u.test(text) &&
  !sql.test(text) &&
  !code.test(text) &&
  !isList(text) &&
  !forPrograms.has(text) &&
  !/^[\w.-]+\/[\w./-]+$/.test(text)

/** Every sentence in these files that a person may read, each once, sorted. */
export function messagesIn(files: readonly string[], root: string): string[] {
  const found = new Set<string>()
  for (const file of files)
    if (!without.test(`/${relative(root, file)}`))
      for (const text of textsOf(file)) {
        const shown = oneLine(text)
        if (isSentence(shown)) found.add(shown)
      }
  return [...found].sort()
}

/** The strings of a file: literals, templates and what is added together, whole. */
function textsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8')
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`)
  const texts: string[] = []
  /** What stands in something larger that was read already, or is no text for people. */
  const read = new Set<ESTree.Node>()
  const leave = (...nodes: (ESTree.Node | null | undefined)[]) => {
    for (const node of nodes) if (node) read.add(node)
  }

  /** Examples are what senders write, and nothing that Galley says. */
  const examples: ESTree.Span[] = []
  const inExample = ({ start, end }: ESTree.Span) =>
    examples.some((span) => span.start <= start && end <= span.end)

  const textOf = (node: ESTree.Node): string | undefined => {
    if (node.type === 'ParenthesizedExpression') return textOf(node.expression)
    if (node.type === 'Literal' && typeof node.value === 'string') return node.value
    if (node.type === 'TemplateLiteral')
      return node.quasis
        .map(({ value }, n) => value.cooked + placeholder(source, node.expressions[n]))
        .join('')
    if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined
    const [left, right] = [textOf(node.left), textOf(node.right)]
    if (left === undefined && right === undefined) return undefined
    leave(node.left, node.right)
    return (left ?? placeholder(source, node.left)) + (right ?? placeholder(source, node.right))
  }
  const take = (node: ESTree.Node) => {
    if (read.has(node) || inExample(node)) return
    const text = textOf(node)
    if (text !== undefined) texts.push(text)
  }
  const isQuery = ({ tag }: ESTree.TaggedTemplateExpression) =>
    /queryRaw|executeRaw|sql$/i.test(sourceOf(source, tag))

  new Visitor({
    ImportDeclaration: ({ source }) => leave(source),
    ExportNamedDeclaration: ({ source }) => leave(source),
    Property: ({ key, value }) => {
      if (key.type === 'Identifier' && key.name === 'examples') examples.push(value)
    },
    TSLiteralType: ({ literal }) => leave(literal),
    // A statement of SQL
    TaggedTemplateExpression: (node) => {
      if (isQuery(node)) leave(node.quasi)
    },
    BinaryExpression: take,
    TemplateLiteral: take,
    Literal: take,
  }).visit(program)
  return texts
}

const sourceOf = (source: string, { start, end }: ESTree.Span): string => source.slice(start, end)

/** `{site}` for what is put in by its name, `{…}` for what is worked out. */
function placeholder(source: string, node: ESTree.Node | undefined): string {
  if (node === undefined) return ''
  const name = /(?:^|\.)(\w+)$/.exec(sourceOf(source, node))?.[1]
  return name === undefined ? '{…}' : `{${name}}`
}

/** Without markup, its white space collapsed. */
const oneLine = (text: string): string =>
  text
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
