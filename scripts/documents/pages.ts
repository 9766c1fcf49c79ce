import { z } from 'zod'
import type { BlockDefinition, InlineDefinition } from '../../src/blocks/define.ts'
import { blockSchemas, blocksByName, inlineSchemas, inlinesByName } from '../../src/blocks/index.ts'
import { type PostFieldName, postFields } from '../../src/contract/post-fields.ts'

/*
 * The parts of docs/documents.md that the definitions of blocks, inlines and fields of posts say: what each is, an example, its
 * members, and the other names that are read.
 */

const begin = (name: string) => `<!-- begin ${name}: written by npm run documents -->`
const end = (name: string) => `<!-- end ${name} -->`

/** The page with its generated parts as the definitions say them. */
export function withGeneratedParts(page: string): string {
  const parts = {
    fields: [fieldTable()],
    blocks: definitionsIn(blocksByName).map((one) => section(one, blockSchemas[one.type] as z.ZodObject)),
    inlines: definitionsIn(inlinesByName).map((one) => section(one, inlineSchemas[one.type] as z.ZodObject)),
  }
  return Object.entries(parts).reduce((text, [name, sections]) => {
    const [before, rest = ''] = text.split(`${begin(name)}\n`)
    const [, after = ''] = rest.split(`${end(name)}\n`)
    return `${before}${begin(name)}\n\n${sections.join('\n')}\n${end(name)}\n${after}`
  }, page)
}

/** The fields of a post, as `delivery.metadata` has them. */
const fieldTable = (): string =>
  [
    '| member | example | what it is |',
    '|---|---|---|',
    ...Object.entries(postFields).map(([name, { schema, example }]) => {
      const { isDefault } = postFields[name as PostFieldName]
      return `| \`${name}\`${isDefault ? ' *' : ''} | \`${JSON.stringify(example)}\` | ${schema.description} |`
    }),
  ].join('\n')

type Definition = BlockDefinition<{ type: string }> | InlineDefinition<{ type: string }>

const definitionsIn = (byName: ReadonlyMap<string, unknown>): Definition[] =>
  [...new Set(byName.values())] as Definition[]

function section(definition: Definition, schema: z.ZodObject): string {
  const { description = '', examples: [example] = [] } = schema.meta() as {
    description?: string
    examples?: unknown[]
  }
  const others = objectsIn(schema).map(
    (object) => `Each ${object.meta()?.id}: ${object.meta()?.description}\n\n${table(object)}`,
  )
  return [
    `### ${definition.type}\n`,
    `${description}\n`,
    `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\`\n`,
    ...[schema].filter(({ shape }) => Object.keys(shape).length > 1).map((own) => `${table(own)}\n`),
    ...others.map((other) => `${other}\n`),
    ...alsoRead(definition, schema).map((sentence) => `${sentence}\n`),
  ].join('\n')
}

const table = ({ shape }: z.ZodObject): string =>
  [
    '| member | what it is |',
    '|---|---|',
    ...Object.entries(shape)
      .filter(([name]) => name !== 'type')
      .map(([name, schema]) => `| \`${name}\` | ${saidOf(schema as z.ZodType)} |`),
  ].join('\n')

function saidOf(schema: z.ZodType): string {
  const said =
    schema.meta()?.description ??
    (schema instanceof z.ZodOptional ? saidOf(schema.unwrap() as z.ZodType) : '')
  const text = schema.meta()?.id === 'InlineContent' ? 'Inline content.' : said
  return schema instanceof z.ZodOptional && !text.endsWith('Optional.') ? `${text} Optional.` : text
}

/** Objects with a name of their own inside a schema, such as the items of a list. */
function objectsIn(schema: z.ZodType, seen = new Set<z.ZodType>()): z.ZodObject[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  const inside: unknown[] =
    schema instanceof z.ZodObject
      ? Object.values(schema.shape)
      : schema instanceof z.ZodArray
        ? [schema.element]
        : schema instanceof z.ZodUnion
          ? [...schema.options]
          : schema instanceof z.ZodOptional || schema instanceof z.ZodLazy
            ? [schema.unwrap()]
            : []
  return inside.flatMap((part) => {
    const of = part as z.ZodType
    const id = of.meta()?.id
    if (id === 'InlineContent' || id === 'Block') return []
    return [...(of instanceof z.ZodObject && id !== undefined ? [of] : []), ...objectsIn(of, seen)]
  })
}

function alsoRead(definition: Definition, { shape }: z.ZodObject): string[] {
  const list = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')
  const types = definition.aliases.length > 0 ? [`the types ${list(definition.aliases)}`] : []
  const members =
    'names' in definition
      ? Object.values(definition.names).flatMap((names) => {
          const own = names.find((name) => name in shape) ?? names[0]
          const others = names.filter((name) => name !== own)
          return others.length > 0 ? [`${list(others)} for \`${own}\``] : []
        })
      : []
  const flags =
    'isFlag' in definition && definition.isFlag ? [`\`"${definition.type}": true\` on a text`] : []
  const all = [...types, ...members, ...flags]
  return all.length > 0 ? [`Also read: ${all.join('; ')}.`] : []
}
