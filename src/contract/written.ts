import { z } from 'zod'

/** As `content_format` names the formats of whole documents; each has an adapter (index.ts). */
export const contentFormats = [
  'markdown',
  'html',
  'prosemirror',
  'portable_text',
  'editorjs',
  'notion',
  'lexical',
  'contentful',
] as const

/** How the strings of a document in our format are written. */
export const textFormats = ['plain', 'markdown', 'html'] as const

export type ContentFormat = (typeof contentFormats)[number]
export type TextFormat = (typeof textFormats)[number]

/** How a source's documents are written, where they do not say it themselves. */
export interface WrittenDefaults {
  content_format?: ContentFormat | undefined
  text_format?: TextFormat | undefined
}

/** The members of `delivery` that say how a document is written. */
export const writtenShape = {
  content_format: z
    .enum(contentFormats)
    .nullish()
    .describe(
      'How `data.content` is written, where it is not a document of ours; found out by its signature where left out.',
    ),
  text_format: z
    .enum(textFormats)
    .nullish()
    .describe('How the strings of a document of ours are written; `plain` where left out.'),
}

export const writtenSchema = z.looseObject(writtenShape)
