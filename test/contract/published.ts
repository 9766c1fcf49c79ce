import type { z } from 'zod'
import { blockSchemas, inlineSchemas } from '../../src/blocks/index.ts'
import { contentSchema, documentDataSchema } from '../../src/contract/webhook.ts'

/** An example of a published schema, and a whole document around it. */
export interface Example {
  /** `heading`, `bold`, `FeaturedImage` */
  kind: string
  schema: z.ZodType
  example: unknown
  /** As `data` of a webhook. */
  data: Record<string, unknown>
}

const paragraph = { type: 'paragraph', content: 'The sea rises.' }
const titled = (content: object, more: object = {}) => ({ title: 'Tides', ...more, content })
const around = (block: unknown) => titled({ content: [paragraph, block] })

/** How a document holds an example of each thing that is neither a block nor inline. */
const parts: Record<string, [z.ZodType, (example: unknown) => Record<string, unknown>]> = {
  Document: [documentDataSchema, (example) => example as Record<string, unknown>],
  DocumentContent: [contentSchema, (example) => titled(example as object)],
  DocumentMeta: [
    contentSchema.shape.meta.unwrap().unwrap(),
    (meta) => ({ content: { meta, content: [paragraph] } }),
  ],
  FeaturedImage: [
    documentDataSchema.shape.featured_image.unwrap().unwrap(),
    (image) => titled({ content: [paragraph] }, { featured_image: image }),
  ],
  Narration: [
    documentDataSchema.shape.audio.unwrap().unwrap(),
    (audio) => titled({ content: [paragraph] }, { audio }),
  ],
}

const examplesOf = (
  kind: string,
  schema: z.ZodType,
  whole: (example: unknown) => Record<string, unknown>,
): Example[] =>
  ((schema.meta()?.examples ?? []) as unknown[]).map((example) => ({
    kind,
    schema,
    example,
    data: whole(example),
  }))

/** Everything that the published format consists of, by the name of its section in docs/documents.md. */
export const published: { kind: string; schema: z.ZodType; examples: Example[] }[] = [
  ...Object.entries(parts),
  ...Object.entries(blockSchemas).map(([kind, schema]) => [kind, [schema, around]] as const),
  ...Object.entries(inlineSchemas).map(
    ([kind, schema]) =>
      [
        kind,
        [schema, (item: unknown) => around({ type: 'paragraph', content: ['The sea. ', item] })],
      ] as const,
  ),
].map(([kind, [schema, whole]]) => ({ kind, schema, examples: examplesOf(kind, schema, whole) }))
