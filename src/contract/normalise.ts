import type { DocumentData } from './document.ts'
import { readAlternative, readAudio, readBlock } from './normalise/blocks.ts'
import {
  collapseToLine,
  firstTextMember,
  isWireObject,
  type WireObject,
  wireType,
} from './normalise/fields.ts'
import { createReading, type ReadingContext } from './normalise/reading.ts'
import { warnUnread } from './normalise/unread-members.ts'
import { countTextUnits } from './payload.ts'
import type { Block, Document, NormalisedDocument } from './tree.ts'

/**
 * Converts a received document to the strict tree, with warnings for what was not understood.
 * The contract leaves names open (docs/contract.md). Only this module decides them:
 * - a type stands under `type`, `kind` or `block_type`, in any case style, with the usual synonyms;
 * - text stands under `text`, `value`, `content` or `children`, as a string, a number or inline content; a link's target
 *   under `url` or `href`; formats may be flags (`"bold": true`);
 * - a list is ordered by `ordered`, `list_type` or `style`, or by its type; nested lists stand in an item's content, or
 *   under `items`, `list`, `lists` or `children`;
 * - title, slug and description stand in `data` or in `content.meta`, and `data` goes first; the featured image is a URL
 *   or an object in `data` or `content`; narration is `audio` or `audio_url` in either.
 * Unknown parts are kept as text; nothing is left out without a warning. Limits are checked before anything is built.
 * @param text the text length, where the data has been walked already
 * @throws LimitError `document_too_deep`, `document_too_many_cells` and the like, with the path
 */
export function normaliseDocument(data: DocumentData, text = countTextUnits(data)): NormalisedDocument {
  const reading = createReading()
  const { content } = data
  const meta: WireObject = content.meta ?? {}
  const blocks = readBlocks(content.content, reading)
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
  return { document, warnings: [...reading.warnings], size: { ...reading.size, text } }
}

function readBlocks(values: readonly unknown[], reading: ReadingContext): Block[] {
  const blocks: Block[] = []
  for (const [index, value] of values.entries()) {
    reading.enter(`data.content.content.${index}`, `Block ${index + 1} (${wireType(value) ?? 'no type'})`)
    reading.count()
    for (const block of readBlock(value, reading)) blocks.push(block)
  }
  return blocks
}

function readNarration(wire: WireObject, reading: ReadingContext): Document['audio'] {
  const audio = readAudio(wire, reading)
  if (audio !== undefined && isWireObject(wire.audio))
    warnUnread(wire.audio, 'the narration', [], [audio], reading)
  return audio
}

/** The alternative text may stand with another spelling of the picture, or with its copy in the body. */
function readFeaturedImage(
  data: DocumentData,
  blocks: Block[],
  reading: ReadingContext,
): Document['featuredImage'] {
  const [chosen, ...others] = [data.featured_image, data.content.featured_image].flatMap((value) =>
    readPicture(value, reading),
  )
  if (chosen === undefined) return undefined
  const copies = [...others, ...blocks.filter((block) => block.type === 'image')]
  const alt = chosen.alt || (copies.find(({ url, alt }) => url === chosen.url && alt !== '')?.alt ?? '')
  return {
    url: reading.file('featured_image', chosen.url),
    alt: reading.alternativeText('featured_image.alt', alt),
  }
}

function readPicture(value: unknown, reading: ReadingContext): { url: string; alt: string }[] {
  const wire: WireObject = isWireObject(value) ? value : { url: value }
  const url = firstTextMember(wire, ['url', 'src'])?.trim()
  if (url === undefined) return []
  const picture = { url, alt: collapseToLine(readAlternative(wire)) }
  warnUnread(wire, 'the featured image', [], [picture], reading)
  return [picture]
}
