import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ESTree, parseSync, Visitor } from 'vite'
import { transportFailures } from '../src/outbound/failures.ts'
import { wordPressFailures } from '../src/wordpress/failures/index.ts'

/*
 * npm run messages prints the failures and warnings of Galley by their codes: what each says and what to do about it. Those of
 * sites are read from their catalogues, the others from the source; `{…}` stands for what is filled in.
 */
const facts = { site: '{site}', doing: '{doing}', status: 0, host: '{host}', seen: '{seen}' }
const messages = Object.entries({ ...wordPressFailures, ...transportFailures }).map(
  ([code, { happened, todo }]): Message => [code, `${happened(facts)} ${todo}`],
)

type Message = readonly [code: string, text: string]

for (const name of readdirSync('src', { recursive: true, encoding: 'utf8' }))
  if (name.endsWith('.ts') && !/generated|client\/api\.ts/.test(name))
    messages.push(...messagesIn(join('src', name)))

for (const [code, text] of messages.sort(([one], [other]) => one.localeCompare(other, 'en')))
  process.stdout.write(`${code}\n  ${text}\n`)

/** Objects with a `code` and a `message`, and calls with both as their arguments. */
function messagesIn(file: string): Message[] {
  const source = readFileSync(file, 'utf8')
  const found: Message[] = []
  const add = (code: ESTree.Node | undefined, message: ESTree.Node | undefined) => {
    if (code?.type !== 'Literal' || typeof code.value !== 'string' || !/^[a-z]+(_[a-z]+)+$/i.test(code.value))
      return
    const text = message && textOf(message, source)
    if (text?.includes(' ')) found.push([code.value, text])
  }
  new Visitor({
    ObjectExpression({ properties }) {
      const member = (name: string) =>
        properties.find(
          (property): property is ESTree.ObjectProperty =>
            property.type === 'Property' && property.key.type === 'Identifier' && property.key.name === name,
        )?.value
      add(member('code'), member('message'))
    },
    CallExpression: ({ arguments: [code, message] }) => add(code, message),
  }).visit(parseSync(file, source).program)
  return found
}

/** A text with `{name}` for what is put in by its name, `{…}` for what is worked out. */
function textOf(node: ESTree.Node, source: string): string {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type === 'TemplateLiteral')
    return node.quasis
      .map(({ value }, n) => value.cooked + (node.expressions[n] ? textOf(node.expressions[n], source) : ''))
      .join('')
  if (node.type === 'BinaryExpression') return textOf(node.left, source) + textOf(node.right, source)
  const name = /(?:^|\.)(\w+)$/.exec(source.slice(node.start, node.end))?.[1]
  return `{${name ?? '…'}}`
}
