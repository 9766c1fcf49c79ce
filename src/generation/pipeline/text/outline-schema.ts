import { z } from 'zod'
import type { Shape } from './shape.ts'

const line = z.string().max(2_000)
const lines = z.array(line).max(30)

/** A picture: what it shows, for who draws it, and in words, for who cannot see it. */
const picture = z.object({ subject: line, alt: line })

/** What a section must hold, beside text. */
const holds = z.enum(['text', 'list', 'table', 'code'])

const opening = z.object({ points: lines, sources: lines })
const section = z.object({ heading: line, points: lines, sources: lines, holds, picture })
const closing = z.object({ heading: line, points: lines, sources: lines })

const words = line.refine((text) => /[\p{L}\p{N}]/u.test(text), 'must have words')
const sections = z.array(section).min(1).max(60)

/** An article: an opening without a heading, sections, and where there is room a closing. */
const article = z.object({ title: words, description: line, picture, opening, sections })
const articleWithClosing = article.extend({ closing })

/** News: a headline, the lead with what matters most, and what follows in the order of its weight. */
const news = z.object({ headline: words, description: line, picture, lead: opening, sections })

export type Holds = z.output<typeof holds>
export type PictureWords = z.output<typeof picture>

/** A part of a document, as it is planned. */
export interface PlannedPart {
  role: 'opening' | 'section' | 'closing'
  heading: string
  points: string[]
  /** Ids of what was read for it. */
  sources: string[]
  holds: Holds
  picture: PictureWords
}

export interface Outline {
  title: string
  description: string
  picture: PictureWords
  parts: PlannedPart[]
}

const nothing = { heading: '', holds: 'text', picture: { subject: '', alt: '' } } as const

const asPart = (written: z.output<typeof section>): PlannedPart => ({ role: 'section', ...written })

/** What is asked for of an outline, and the one form that it is read into. */
const schemas: Record<'news' | 'article' | 'articleWithClosing', z.ZodType<Outline>> = {
  news: news.transform(({ headline, lead, sections, description, picture }) => ({
    title: headline,
    description,
    picture,
    parts: [{ ...nothing, role: 'opening', ...lead }, ...sections.map(asPart)],
  })),
  article: article.transform(({ opening, sections, ...rest }) => ({
    ...rest,
    parts: [{ ...nothing, role: 'opening', ...opening }, ...sections.map(asPart)],
  })),
  articleWithClosing: articleWithClosing.transform(({ opening, sections, closing, ...rest }) => ({
    ...rest,
    parts: [
      { ...nothing, role: 'opening', ...opening },
      ...sections.map(asPart),
      { ...nothing, role: 'closing', ...closing },
    ],
  })),
}

export const outlineSchema = ({ kind, closing }: Shape): z.ZodType<Outline> =>
  schemas[kind === 'news' ? 'news' : closing ? 'articleWithClosing' : 'article']

type Wire = Record<string, unknown>
const isWire = (value: unknown): value is Wire =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Members under which models put the sections. */
const homes = ['sections', 'outline', 'parts', 'body'] as const

/** An outline in another shape: inside of others, by other names, texts in the place of lists, what is missing left empty. */
export function loosenOutline(json: unknown): unknown {
  const wire = withSections(json, 3)
  if (wire === undefined) return undefined
  const title = textOf(wire, ['title', 'headline', 'name'])
  const sections = listOf(homes.map((name) => wire[name]).find(Boolean))
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
function withSections(json: unknown, depth: number): Wire | undefined {
  const wires = (Array.isArray(json) ? json : [json]).filter(isWire)
  const own = wires.find((wire) => homes.some((name) => Array.isArray(wire[name])))
  if (own !== undefined || depth === 0) return own
  for (const wire of wires)
    for (const value of Object.values(wire)) {
      const found = isWire(value) ? withSections(value, depth - 1) : undefined
      if (found !== undefined) return { ...wire, ...found }
    }
  return undefined
}

function looseSection(value: unknown): unknown {
  const wire = isWire(value) ? value : { heading: typeof value === 'string' ? value : '' }
  const kind = typeof wire.holds === 'string' ? wire.holds.toLowerCase() : 'text'
  return {
    heading: textOf(wire, ['heading', 'title', 'name', 'crosshead']),
    points: listOf(wire.points ?? wire.content ?? wire.bullets ?? wire.text).flatMap(textIn),
    sources: listOf(wire.sources ?? wire.source).flatMap(textIn),
    holds: holds.safeParse(kind).success ? kind : 'text',
    picture: loosePicture(wire.picture ?? wire.image),
  }
}

function loosePicture(value: unknown): unknown {
  if (!isWire(value)) return { subject: typeof value === 'string' ? value : '', alt: '' }
  return {
    subject: textOf(value, ['subject', 'prompt', 'description']),
    alt: textOf(value, ['alt', 'alt_text']),
  }
}

const textIn = (value: unknown): string[] =>
  typeof value === 'string' || typeof value === 'number'
    ? [String(value)]
    : isWire(value)
      ? [textOf(value, ['text', 'point', 'id', 'title', 'name'])].filter(Boolean)
      : []

const textOf = (wire: Wire, names: readonly string[]): string =>
  names.flatMap((name) => textIn(typeof wire[name] === 'object' ? undefined : wire[name]))[0] ?? ''

/** An array, the values of an object that stands in for one, or one value alone. */
const listOf = (value: unknown): unknown[] =>
  Array.isArray(value)
    ? value
    : isWire(value)
      ? Object.values(value)
      : value === undefined || value === null
        ? []
        : [value]
