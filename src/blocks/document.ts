import { countTextUnits } from '../contract/payload.ts'
import type { Warning } from '../errors.ts'
import type { Audio } from './audio/index.ts'
import { alternativeNames } from './image/index.ts'
import { type Block, walkBlocks } from './index.ts'
import { MAX_MATHML_PER_CHARACTER } from './math/mathml.ts'
import { createReading, type DocumentReading } from './read.ts'
import {
  addressOf,
  collapseToLine,
  firstMember,
  firstTextMember,
  isWireObject,
  plainText,
  type WireObject,
} from './wire.ts'

/** The strict tree inside Galley: nothing behind it reads the wire. */
export interface Document {
  title: string
  slug?: string
  description?: string
  featuredImage?: { url: string; alt: string; caption?: string }
  /** In reading order; narration is `audio`, not a block. */
  blocks: Block[]
  audio?: Audio
}

/** A document, and the warnings of reading it. */
export interface NormalisedDocument {
  document: Document
  /** The files that the document brings inside itself: a `data:` address, by the short one that stands for it in the tree. */
  inlineFiles: ReadonlyMap<string, string>
  warnings: Warning[]
  /** Size of what becomes markup; `text` in UTF-16 code units. */
  size: { blocks: number; inlines: number; cells: number; formulas: number; text: number }
}

type WireDocument = WireObject & {
  content: WireObject & { content: readonly unknown[]; meta?: WireObject | null | undefined }
}

/**
 * Converts a received document to the strict tree, with warnings for what was not understood. The contract leaves names
 * open (docs/contract.md): the spellings of a block and its members stand in its folder; those of the document itself here.
 * Title, slug and description stand in `data` or in `content.meta`, and `data` goes first. Limits are checked before
 * anything is built.
 * @param text the text length, where the data has been walked already
 * @throws LimitError `document_too_deep`, `document_too_many_cells` and the like, with the path
 */
export function normaliseDocument(data: WireDocument, text = countTextUnits(data)): NormalisedDocument {
  const reading = createReading()
  const { content } = data
  const meta: WireObject = content.meta ?? {}
  const notes = firstMember(content, ['footnotes']) ?? firstMember(data, ['footnotes'])
  const blocks = reading.document(
    notes === undefined ? content.content : [...content.content, { type: 'footnotes', notes }],
  )
  reading.enter('data', 'The document')
  const featuredImage = readFeaturedImage(data, blocks, reading)
  const slug = firstTextMember(meta, ['slug']) ?? firstTextMember(data, ['slug'])
  const description = firstTextMember(data, ['description']) ?? firstTextMember(meta, ['description'])
  const audio = readNarration(data, reading) ?? readNarration(content, reading)
  const document: Document = {
    title: reading.line(
      'title',
      collapseToLine(firstTextMember(data, ['title']) ?? '') ||
        collapseToLine(firstTextMember(meta, ['title']) ?? ''),
    ),
    ...(slug === undefined ? {} : { slug: reading.line('content.meta.slug', collapseToLine(slug)) }),
    ...(description === undefined
      ? {}
      : { description: reading.description('description', collapseToLine(description)) }),
    ...(featuredImage === undefined ? {} : { featuredImage }),
    blocks,
    ...(audio === undefined ? {} : { audio }),
  }
  const { inlineFiles } = reading
  const inlineLength = [...inlineFiles.values()].reduce((sum, url) => sum + url.length, 0)
  const size = { ...reading.size, text: text - inlineLength }
  return { document, inlineFiles, warnings: [...reading.warnings], size }
}

/** Narration under `audio`, as its URL or an object, or under `audio_url`. */
function readNarration(wire: WireObject, reading: DocumentReading): Audio | undefined {
  const url = addressOf(wire.audio) ?? addressOf(wire.audio_url)
  if (url === undefined) return undefined
  if (isWireObject(wire.audio)) warnOfWords(wire.audio, ['url', 'src'], 'the narration', reading)
  return { type: 'audio', url: reading.file('audio', url) }
}

/** The alternative text may stand with another spelling of the picture, or with its copy in the body. */
function readFeaturedImage(
  data: WireDocument,
  blocks: readonly Block[],
  reading: DocumentReading,
): Document['featuredImage'] {
  const [chosen, ...others] = [data.featured_image, data.content.featured_image].flatMap((value) => {
    const url = addressOf(value)
    if (url === undefined) return []
    const wire: WireObject = isWireObject(value) ? value : {}
    warnOfWords(wire, ['url', 'src', ...alternativeNames], 'the featured image', reading)
    return [{ url, alt: collapseToLine(plainText(firstMember(wire, alternativeNames))) }]
  })
  if (chosen === undefined) return undefined
  const url = reading.file('featured_image', chosen.url)
  const alternatives = [chosen, ...others.filter((other) => other.url === chosen.url)].map(({ alt }) => alt)
  walkBlocks(blocks, (block) => {
    if (block.type === 'image' && block.url === url) alternatives.push(block.alt)
  })
  return {
    url,
    alt: reading.alternativeText('featured_image.alt', alternatives.find((alt) => alt !== '') ?? ''),
  }
}

/** What stands with a file of the document itself has no place in the post. */
function warnOfWords(
  wire: WireObject,
  names: readonly string[],
  what: string,
  reading: DocumentReading,
): void {
  for (const name of ['caption', 'title', 'description', 'credit', 'transcript'])
    if (!names.includes(name) && plainText(wire[name]).trim() !== '')
      reading.warn(
        'text_left_out',
        `the "${name}" of ${what} is not shown in a post, and its text is left out`,
      )
}

/*
 * Maximum bytes of markup per unit under any settings, images excluded; a test measures them with the worst shapes. The
 * worst character is a bracket in a URL that appears twice, percent-encoded.
 */
const MAX_BYTES_PER_UNIT = {
  text: 20,
  blocks: 400,
  inlines: 180,
  cells: 10,
  formulas: MAX_MATHML_PER_CHARACTER,
}

/** An upper bound of the bytes of a document's markup. */
export const maxMarkupBytes = ({
  size: { text, blocks, inlines, cells, formulas },
}: NormalisedDocument): number =>
  text * MAX_BYTES_PER_UNIT.text +
  blocks * MAX_BYTES_PER_UNIT.blocks +
  inlines * MAX_BYTES_PER_UNIT.inlines +
  cells * MAX_BYTES_PER_UNIT.cells +
  formulas * MAX_BYTES_PER_UNIT.formulas
