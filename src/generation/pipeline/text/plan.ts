import { z } from 'zod'
import type { DocumentRequest } from '../../../contract/generation/requests.ts'
import type { LengthUnit } from './measure.ts'

export interface TextShape {
  kind: DocumentRequest['content_type']
  unit: LengthUnit
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
const unitsPerWord = { words: 1, characters: 2 }

/** Below so many words there is no room for a closing. */
const MIN_WORDS_WITH_CLOSING = 250
/** Words that one picture is for, and pictures at most. */
const WORDS_PER_PICTURE = 800
const MAX_PICTURES = 4

/** The shape of what was asked for. A section grows with the document: 160 words of 300, 230 of 2,000, 500 of 10,000. */
export function planShape(request: DocumentRequest, unit: LengthUnit): TextShape {
  const kind = request.content_type
  const { length } = request.text
  const words = length / unitsPerWord[unit]
  const closing = kind === 'article' && words >= MIN_WORDS_WITH_CLOSING
  const perSection = Math.min(500, 150 + words * 0.04)
  const sections = Math.max(1, Math.round((words * (closing ? 0.8 : 0.88)) / perSection))
  const pictures = kind === 'news' ? 1 : MAX_PICTURES
  return {
    kind,
    unit,
    length,
    sections,
    closing,
    pictures: request.image.enabled ? Math.min(pictures, Math.floor(words / WORDS_PER_PICTURE), sections) : 0,
  }
}

/** The least that is asked of a part: below it a model writes more anyway. */
export const minPartLength = ({ unit }: TextShape): number => 20 * unitsPerWord[unit]

/**
 * Weights of opening, sections and closing. Short openings and closings let the last part correct
 * earlier misses. News go from most to least important.
 */
export function lengthWeights(shape: TextShape, sections: number): number[] {
  const words = shape.length / unitsPerWord[shape.unit]
  const edge = Math.min(Math.max(0.12 * words, 30), shape.kind === 'news' ? 60 : 150) / words
  const edges = shape.closing ? 2 : 1
  const each = (1 - edge * edges) / sections
  const middle = Array.from({ length: sections }, (_, index) =>
    shape.kind === 'news' ? each * (1.3 - (0.6 * index) / Math.max(1, sections - 1)) : each,
  )
  return [edge, ...middle, ...(shape.closing ? [edge] : [])]
}

const line = z.string().max(2_000)
const lines = z.array(line).max(30)

const pictureSchema = z.object({ subject: line, alt: line })

/** What a section must hold, beside text. */
const requiredContent = z.enum(['text', 'list', 'table', 'code'])

const opening = z.object({ points: lines, sources: lines })
const plannedSectionSchema = z.object({
  heading: line,
  points: lines,
  sources: lines,
  holds: requiredContent,
  picture: pictureSchema,
})
const closing = z.object({ heading: line, points: lines, sources: lines })

const words = line.refine((text) => /[\p{L}\p{N}]/u.test(text), 'must have words')
const sections = z.array(plannedSectionSchema).min(1).max(60)

/** An article: an opening without a heading, sections, and where there is room a closing. */
const article = z.object({ title: words, description: line, picture: pictureSchema, opening, sections })
const articleWithClosing = article.extend({ closing })

/** News: a headline, the lead with what matters most, and what follows in the order of its weight. */
const news = z.object({ headline: words, description: line, picture: pictureSchema, lead: opening, sections })

export type RequiredContent = z.output<typeof requiredContent>
export type PictureBrief = z.output<typeof pictureSchema>

export interface PlannedPart {
  role: 'opening' | 'section' | 'closing'
  heading: string
  points: string[]
  /** Ids of what was read for it. */
  sources: string[]
  holds: RequiredContent
  picture: PictureBrief
}

export interface Outline {
  title: string
  description: string
  picture: PictureBrief
  parts: PlannedPart[]
}

const emptyOutline = { heading: '', holds: 'text', picture: { subject: '', alt: '' } } as const

const asPart = (written: z.output<typeof plannedSectionSchema>): PlannedPart => ({
  role: 'section',
  ...written,
})

/** What is asked for of an outline, and the one form that it is read into. */
const schemas: Record<'news' | 'article' | 'articleWithClosing', z.ZodType<Outline>> = {
  news: news.transform(({ headline, lead, sections, description, picture }) => ({
    title: headline,
    description,
    picture,
    parts: [{ ...emptyOutline, role: 'opening', ...lead }, ...sections.map(asPart)],
  })),
  article: article.transform(({ opening, sections, ...rest }) => ({
    ...rest,
    parts: [{ ...emptyOutline, role: 'opening', ...opening }, ...sections.map(asPart)],
  })),
  articleWithClosing: articleWithClosing.transform(({ opening, sections, closing, ...rest }) => ({
    ...rest,
    parts: [
      { ...emptyOutline, role: 'opening', ...opening },
      ...sections.map(asPart),
      { ...emptyOutline, role: 'closing', ...closing },
    ],
  })),
}

export const outlineSchema = ({ kind, closing }: TextShape): z.ZodType<Outline> =>
  schemas[kind === 'news' ? 'news' : closing ? 'articleWithClosing' : 'article']

type OutlineObject = Record<string, unknown>
const isOutlineObject = (value: unknown): value is OutlineObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Members under which models put the sections. */
const sectionMembers = ['sections', 'outline', 'parts', 'body'] as const

/** An outline in another shape: inside of others, by other names, texts in the place of lists, what is missing left empty. */
export function coerceOutline(json: unknown): unknown {
  const wire = withSections(json, 3)
  if (wire === undefined) return undefined
  const title = textOf(wire, ['title', 'headline', 'name'])
  const sections = listOf(sectionMembers.map((name) => wire[name]).find(Boolean))
  const edge = (names: string[]) =>
    looseSection(names.map((name) => wire[name]).find((value) => value !== undefined))
  return {
    title,
    headline: title,
    description: textOf(wire, ['description', 'summary', 'meta_description', 'excerpt']),
    picture: loosePicture(wire.picture ?? wire.image ?? wire.featured_image),
    opening: edge(['opening', 'introduction', 'intro', 'lead']),
    lead: edge(['lead', 'opening', 'introduction', 'intro']),
    sections: sections.map(looseSection),
    closing: edge(['closing', 'conclusion', 'ending']),
  }
}

/** The object that has the sections, however deep; its neighbours may have the rest. */
function withSections(json: unknown, depth: number): OutlineObject | undefined {
  const wires = (Array.isArray(json) ? json : [json]).filter(isOutlineObject)
  const own = wires.find((wire) => sectionMembers.some((name) => Array.isArray(wire[name])))
  if (own !== undefined || depth === 0) return own
  for (const wire of wires)
    for (const value of Object.values(wire)) {
      const found = isOutlineObject(value) ? withSections(value, depth - 1) : undefined
      if (found !== undefined) return { ...wire, ...found }
    }
  return undefined
}

function looseSection(value: unknown): unknown {
  const wire = isOutlineObject(value) ? value : { heading: typeof value === 'string' ? value : '' }
  const kind = typeof wire.holds === 'string' ? wire.holds.toLowerCase() : 'text'
  return {
    heading: textOf(wire, ['heading', 'title', 'name', 'crosshead']),
    points: listOf(wire.points ?? wire.content ?? wire.bullets ?? wire.text).flatMap(textIn),
    sources: listOf(wire.sources ?? wire.source).flatMap(textIn),
    holds: requiredContent.safeParse(kind).success ? kind : 'text',
    picture: loosePicture(wire.picture ?? wire.image),
  }
}

function loosePicture(value: unknown): unknown {
  if (!isOutlineObject(value)) return { subject: typeof value === 'string' ? value : '', alt: '' }
  return {
    subject: textOf(value, ['subject', 'prompt', 'description']),
    alt: textOf(value, ['alt', 'alt_text']),
  }
}

const textIn = (value: unknown): string[] =>
  typeof value === 'string' || typeof value === 'number'
    ? [String(value)]
    : isOutlineObject(value)
      ? [textOf(value, ['text', 'point', 'id', 'title', 'name'])].filter(Boolean)
      : []

const textOf = (wire: OutlineObject, names: readonly string[]): string =>
  names.flatMap((name) => textIn(typeof wire[name] === 'object' ? undefined : wire[name]))[0] ?? ''

/** An array, the values of an object that stands in for one, or one value alone. */
const listOf = (value: unknown): unknown[] =>
  Array.isArray(value)
    ? value
    : isOutlineObject(value)
      ? Object.values(value)
      : value === undefined || value === null
        ? []
        : [value]
