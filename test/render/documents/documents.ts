import fc from 'fast-check'
import { z } from 'zod'
import type { Document } from '../../../src/blocks/document.ts'
import { blockSchema } from '../../../src/blocks/index.ts'
import { normaliseDocument } from '../../../src/blocks/read.ts'
import { documentDataSchema } from '../../../src/contract/webhook.ts'
import { address, formula, text } from './texts.ts'

/** Lazy schemas inside each other; deeper ones are strings, or left out. */
const MAX_DEPTH = 4

/** Characters of what is one line: an anchor, a title. */
const MAX_LINE = 1_000
const line = text.map((value) => value.slice(0, MAX_LINE))
const isRunning = new Set(['', 'text', 'value', 'content'])

const known = new Map<string, fc.Arbitrary<unknown>>()
const ids = new Map<z.core.$ZodType, number>()

/** Anything that a schema takes, with texts and addresses of every kind in it. */
function arbitraryOf(schema: z.core.$ZodType, depth: number, name = ''): fc.Arbitrary<unknown> {
  if (!ids.has(schema)) ids.set(schema, ids.size)
  const key = `${ids.get(schema)} ${depth} ${name}`
  const made = known.get(key) ?? make(schema, depth, name)
  known.set(key, made)
  return made
}

function make(schema: z.core.$ZodType, depth: number, name: string): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodString) {
    if (name === 'latex') return fc.oneof(formula, line)
    return name === 'url' || name === 'link' ? address : isRunning.has(name) ? text : line
  }
  if (schema instanceof z.ZodBoolean) return fc.boolean()
  if (schema instanceof z.ZodLiteral) return fc.constantFrom(...schema.values)
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options)
  if (schema instanceof z.ZodNumber) {
    const { minValue, maxValue } = schema
    const isBound = (bound: number | null): bound is number => bound !== null && Math.abs(bound) < 1e9
    return fc.integer({ min: isBound(minValue) ? minValue : -5, max: isBound(maxValue) ? maxValue : 1_000 })
  }
  if (schema instanceof z.ZodOptional)
    return fc.option(arbitraryOf(schema.unwrap() as z.core.$ZodType, depth, name), { nil: undefined })
  if (schema instanceof z.ZodNullable)
    return fc.option(arbitraryOf(schema.unwrap() as z.core.$ZodType, depth, name))
  if (schema instanceof z.ZodArray) {
    const maxLength = depth >= MAX_DEPTH ? 1 : 3
    return fc.array(arbitraryOf(schema.element as z.core.$ZodType, depth + 1), { maxLength })
  }
  if (schema instanceof z.ZodLazy)
    return depth >= MAX_DEPTH ? line : arbitraryOf(schema.unwrap() as z.core.$ZodType, depth + 1)
  if (schema instanceof z.ZodUnion)
    return fc.oneof(...schema.options.map((option) => arbitraryOf(option as z.core.$ZodType, depth, name)))
  if (schema instanceof z.ZodObject)
    return fc
      .record(
        Object.fromEntries(
          Object.entries(schema.shape).map(([member, of]) => [
            member,
            arbitraryOf(of as z.core.$ZodType, depth, member),
          ]),
        ),
      )
      .map((value) => Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)))
  throw new Error(`no arbitrary for ${schema._zod.def.type}`)
}

const block = arbitraryOf(blockSchema, 0)

/** Documents of all block and inline kinds, as their schemas publish them, mostly small. */
export const document: fc.Arbitrary<Document> = fc
  .record({ blocks: fc.array(block, { maxLength: 5 }), audio: fc.option(address, { nil: undefined }) })
  .map(
    ({ blocks, audio }) =>
      normaliseDocument(
        documentDataSchema.parse({ title: 'Title', content: { content: blocks }, ...(audio && { audio }) }),
      ).document,
  )
