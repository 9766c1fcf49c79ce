import type { DocumentRequest } from '../../../contract/generation/requests.ts'
import type { Unit } from './count.ts'

/** What a document of this kind and length has. */
export interface Shape {
  kind: DocumentRequest['content_type']
  unit: Unit
  /** As it was asked for. */
  length: number
  /** Sections between the opening and the closing. */
  sections: number
  /** Whether it ends with a section of its own: news never do, they are cut from their end. */
  closing: boolean
  /** Pictures amid the text. */
  pictures: number
}

/** Characters say about half of what words do. */
const perWord = { words: 1, characters: 2 }

/** Below so many words there is no room for a closing. */
const WITH_CLOSING = 250
/** Words that one picture is for, and pictures at most. */
const PER_PICTURE = 800
const MOST_PICTURES = 4

/** The shape of what was asked for. A section grows with the document: 160 words of 300, 230 of 2,000, 500 of 10,000. */
export function shapeOf(request: DocumentRequest, unit: Unit): Shape {
  const kind = request.content_type
  const { length } = request.text
  const words = length / perWord[unit]
  const closing = kind === 'article' && words >= WITH_CLOSING
  const perSection = Math.min(500, 150 + words * 0.04)
  const sections = Math.max(1, Math.round((words * (closing ? 0.8 : 0.88)) / perSection))
  const pictures = kind === 'news' ? 1 : MOST_PICTURES
  return {
    kind,
    unit,
    length,
    sections,
    closing,
    pictures: request.image.enabled ? Math.min(pictures, Math.floor(words / PER_PICTURE), sections) : 0,
  }
}

/** The least that is asked of a part: below it a model writes more anyway. */
export const leastOf = ({ unit }: Shape): number => 20 * perWord[unit]

/**
 * How the length is shared out, as weights: opening, sections, closing. An article's opening and closing are short, so that
 * the last part makes up for the misses of the others. News go from what matters most to what matters least.
 */
export function weightsOf(shape: Shape, sections: number): number[] {
  const words = shape.length / perWord[shape.unit]
  const edge = Math.min(Math.max(0.12 * words, 30), shape.kind === 'news' ? 60 : 150) / words
  const edges = shape.closing ? 2 : 1
  const each = (1 - edge * edges) / sections
  const middle = Array.from({ length: sections }, (_, index) =>
    shape.kind === 'news' ? each * (1.3 - (0.6 * index) / Math.max(1, sections - 1)) : each,
  )
  return [edge, ...middle, ...(shape.closing ? [edge] : [])]
}
