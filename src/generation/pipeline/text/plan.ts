import { z } from 'zod'
import { firstMember, isWireObject, type WireObject } from '../../../blocks/wire.ts'
import type { DocumentRequest } from '../../../contract/generation/requests.ts'
import { excerpt, pluralize } from '../../../lib/text.ts'
import type { JobRun } from '../../jobs/job-run.ts'
import type { TextProvider } from '../../providers/types.ts'
import type { Source } from '../types.ts'
import { askModel } from './ask-model.ts'
import { cleanHeading, cleanNewsHeading } from './blocks.ts'
import { type Citations, cleanLine, createCitations, cutAtWord, hasText, plainText } from './inlines.ts'
import type { LengthUnit } from './measure.ts'
import { sourceExcerpts, systemPrompt } from './prompts.ts'
import { MAX_SECTIONS, requestedSections } from './requested-count.ts'

export interface TextShape {
  kind: DocumentRequest['content_type']
  unit: LengthUnit
  length: number
  sections: number
  /** Whether the prompt spells out how many; else the outline decides. */
  isCounted: boolean
  /** Whether it ends with a section of its own: news never do, they are cut from their end. */
  closing: boolean
  pictures: number
}

/** Characters say about half of what words do. */
const unitsPerWord = { words: 1, characters: 2 }

/** Below so many words there is no room for a closing. */
const MIN_WORDS_WITH_CLOSING = 250
/** Words that one picture is for, and pictures at most. */
const WORDS_PER_PICTURE = 800
const MAX_PICTURES = 4

/** Sections as the prompt spells out, or by the length: 160 words of 300, 230 of 2,000, 500 of 10,000. */
export function planShape(request: DocumentRequest, unit: LengthUnit): TextShape {
  const kind = request.content_type
  const { length } = request.text
  const words = length / unitsPerWord[unit]
  const closing = kind === 'article' && words >= MIN_WORDS_WITH_CLOSING
  const perSection = Math.min(500, 150 + words * 0.04)
  const counted = requestedSections(request.prompt)
  const sections = counted ?? Math.max(1, Math.round((words * (closing ? 0.8 : 0.88)) / perSection))
  const pictures = kind === 'news' ? 1 : MAX_PICTURES
  return {
    kind,
    unit,
    length,
    sections,
    isCounted: counted !== undefined,
    closing,
    pictures: request.image.enabled ? Math.min(pictures, Math.floor(words / WORDS_PER_PICTURE), sections) : 0,
  }
}

/** Words of a section, of which an outline may have as many as the length has room for. */
const MIN_SECTION_WORDS = 40

const maxSections = ({ sections, isCounted, length, unit }: TextShape): number =>
  isCounted ? sections : Math.max(sections, Math.floor(length / unitsPerWord[unit] / MIN_SECTION_WORDS))

/** The least that is asked of a part: below it a model writes more anyway. */
export const minPartLength = ({ unit }: TextShape): number => 20 * unitsPerWord[unit]

/** Short openings and closings let the last part correct misses. News go from most to least important. */
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
const words = line.refine(hasText, 'must have words')

const noPicture = { subject: '', alt: '' }
const pictureSchema = z.object({ subject: line, alt: line }).catch(noPicture)
const requiredContent = z.enum(['text', 'list', 'table', 'code'])

const edge = { points: lines.catch([]), sources: lines.catch([]) }
const plannedSectionSchema = z.object({
  heading: line,
  points: lines,
  sources: lines.catch([]),
  holds: requiredContent.catch('text'),
  picture: pictureSchema,
})
const closing = z.object({ heading: line.catch(''), ...edge })

/**
 * An opening without a heading (of news, the lead), sections, and where there is room a closing. What a text can do
 * without is left empty where it is missing or wrong.
 */
const plannedSchema = z.object({
  title: words,
  description: line.catch(''),
  picture: pictureSchema,
  opening: z.object(edge).catch({ points: [], sources: [] }),
  sections: z.array(plannedSectionSchema).min(1).max(MAX_SECTIONS),
  closing: closing.optional(),
})

export type RequiredContent = z.output<typeof requiredContent>
export type PictureBrief = z.output<typeof pictureSchema>

export interface PlannedPart extends z.output<typeof plannedSectionSchema> {
  role: 'opening' | 'section' | 'closing'
}

export interface Outline {
  title: string
  description: string
  picture: PictureBrief
  parts: PlannedPart[]
}

const edgePart = { heading: '', holds: 'text', picture: noPicture } as const

const toOutline = ({ opening, sections, closing, ...rest }: z.output<typeof plannedSchema>): Outline => ({
  ...rest,
  parts: [
    { ...edgePart, role: 'opening', ...opening },
    ...sections.map((section) => ({ role: 'section' as const, ...section })),
    ...(closing === undefined ? [] : [{ ...edgePart, role: 'closing' as const, ...closing }]),
  ],
})

const open = plannedSchema.omit({ closing: true }).transform(toOutline)
const closed = plannedSchema
  .extend({ closing: closing.catch({ heading: '', points: [], sources: [] }) })
  .transform(toOutline)

const outlineSchema = (shape: TextShape): z.ZodType<Outline> => (shape.closing ? closed : open)

/** The object that has the sections, however deep a model put it; its neighbours may have the rest. */
function coerceOutline(json: unknown, depth = 3): WireObject | undefined {
  const wires = (Array.isArray(json) ? json : [json]).filter(isWireObject)
  const own = wires.find(({ sections }) => Array.isArray(sections))
  if (own !== undefined) return { ...own, sections: (own.sections as unknown[]).map(coerceSection) }
  for (const wire of depth === 0 ? [] : wires)
    for (const value of Object.values(wire)) {
      const found = isWireObject(value) ? coerceOutline(value, depth - 1) : undefined
      if (found !== undefined) return { ...wire, ...found }
    }
  return undefined
}

/** A section with members of other names, or one text in the place of its points. */
const coerceSection = (section: unknown): unknown =>
  isWireObject(section)
    ? {
        ...section,
        heading: firstMember(section, ['heading', 'title', 'name']),
        points: [firstMember(section, ['points', 'bullets', 'content'])].flat(),
      }
    : section

/** A plan of the text. It decides how many sections there are, unless the prompt spells that out. */
export async function planOutline(
  run: JobRun<'document'>,
  writers: readonly TextProvider[],
  shape: TextShape,
  sources: readonly Source[],
): Promise<Outline> {
  const { answer } = await askModel(run, writers, {
    part: 'outline',
    name: 'outline',
    system: systemPrompt(run),
    asked: outlineQuestion(run.request, shape, sources),
    schema: outlineSchema(shape),
    loosen: coerceOutline,
    isWholeNeeded: true,
    unusable: ({ title }) =>
      hasText(cleanTitle(title, createCitations(sources, '')))
        ? undefined
        : `title: must have words, and ${JSON.stringify(excerpt(title, 80))} has only marks`,
    complaints: (outline) => [
      ...wrongCount(outline, shape),
      ...unplannedContent(outline, run.request.prompt),
    ],
  })
  const outline = cleanOutline(answer, shape, sources)
  if (wrongCount(outline, shape).length > 0)
    run.warn({
      code: 'sections_missed',
      message: `The outline has ${pluralize(sectionCount(outline), 'section')}, and the prompt counts ${shape.sections}.`,
    })
  return outline
}

const sectionCount = ({ parts }: Outline): number => parts.filter(({ role }) => role === 'section').length

function wrongCount(outline: Outline, { isCounted, sections }: TextShape): string[] {
  const found = sectionCount(outline)
  if (!isCounted || found === sections) return []
  return [`sections: the prompt counts ${sections}, one section for each, and there are ${found}`]
}

/** What the prompt asks for by these words; in other languages the rules of the question must do. */
export const requestedContent = {
  table: /\b(?:tables?|tabelle[n]?|tableau|tabla|tabella|tabela)\b/i,
  code: /\b(?:code (?:examples?|samples?|snippets?|blocks?)|codebeispiele?|source code|exemples? de code)\b/i,
} as const

function unplannedContent({ parts }: Outline, prompt: string): string[] {
  return (['table', 'code'] as const)
    .filter((kind) => requestedContent[kind].test(prompt) && !parts.some(({ holds }) => holds === kind))
    .map(
      (kind) =>
        `sections: the prompt asks for a ${kind === 'table' ? 'table' : 'block of code'}, and none "holds" one`,
    )
}

function cleanOutline(outline: Outline, shape: TextShape, sources: readonly Source[]): Outline {
  const citations = createCitations(sources, '')
  const known = new Set(sources.map(({ id }) => id))
  const used = new Set([outline.title.toLowerCase()])
  const heading = ({ role, heading: written, points }: PlannedPart): string => {
    if (role === 'opening') return ''
    const [text] = [written, ...(shape.kind === 'news' ? [] : [points[0] ?? ''])]
      .map((line) => cleanHeading(line, citations) ?? '')
      .map((line) => (shape.kind === 'news' ? cleanNewsHeading(line) : line))
      .filter((line) => line !== '' && !used.has(line.toLowerCase()))
    used.add(text?.toLowerCase() ?? '')
    return text ?? ''
  }
  const sections = outline.parts.filter(({ role }) => role === 'section').slice(0, maxSections(shape))
  const parts = outline.parts.filter((part) => part.role !== 'section' || sections.includes(part))
  const plain = (line: string): string => plainText(line, citations)
  const plainPicture = ({ subject, alt }: PictureBrief): PictureBrief => ({
    subject: plain(subject),
    alt: plain(alt),
  })
  return {
    ...outline,
    description: plain(outline.description),
    picture: plainPicture(outline.picture),
    title: cleanTitle(outline.title, citations),
    parts: parts.map((part) => ({
      ...part,
      heading: heading(part),
      picture: plainPicture(part.picture),
      points: part.points.map(cleanLine).filter(Boolean),
      sources: part.sources.filter((id) => known.has(id)),
    })),
  }
}

/** Characters of a title: search engines show some 60, and posts have been given longer ones. */
const MAX_TITLE_LENGTH = 150

const quotes = /^["'“„«‘「](.+)["'”“»’」]$/u

/** A title in one line, without marks, the quotes around all of it and the full stop behind it. */
const cleanTitle = (written: string, citations: Citations): string =>
  cutAtWord(
    cleanLine(plainText(written, citations))
      .replace(/^#+\s+/, '')
      .replace(/[.。]$/, '')
      .replace(quotes, '$1')
      .replace(/[.。\s]$/, ''),
    MAX_TITLE_LENGTH,
  )

const besideOpening = ({ kind, closing }: TextShape): string =>
  kind === 'news' ? 'after the lead' : closing ? 'between the opening and the closing' : 'beside the opening'

const SOURCE_EXCERPT_LENGTH = 800

const outlineQuestion = (request: DocumentRequest, shape: TextShape, sources: readonly Source[]): object => ({
  task: 'Plan the document.',
  prompt: request.prompt,
  length: `${request.text.length} ${shape.unit} in all`,
  sections: shape.sections,
  ...(request.keywords.length > 0 && { keywords: request.keywords }),
  sources: sourceExcerpts(sources, SOURCE_EXCERPT_LENGTH),
  how: [
    shape.isCounted
      ? `Plan exactly ${shape.sections} sections ${besideOpening(shape)}: one for each of those that the prompt counts, and no other.`
      : `Plan about ${shape.sections} sections ${besideOpening(shape)}. Where the prompt says how many ways, tips, steps or the like the document has, plan exactly so many, one for each.`,
    shape.kind === 'news'
      ? 'The title is a headline: it says what happened, with a verb, in at most 90 characters. "heading" is a crosshead of two to six words that names a fact, never a question, a number or an instruction.'
      : 'The title has at most 70 characters. "heading" is short, says what its section tells, and is in the order of the text; not "Introduction", not numbered.',
    '"points" are what the part must say, each once in the whole document, no text.',
    '"sources" are the ids of the sources that the part draws on, or empty.',
    '"holds" is "table", "code" or "list" where the prompt asks for one there, or the matter cannot be told otherwise; else "text". What the prompt asks for must be planned.',
    '"description" tells somebody who searches what the document says, in 80 to 150 characters.',
    '"picture" is what a picture there shows: "subject" for the artist, concrete and without any writing in it; "alt" in words for who cannot see it, one sentence in the language of the document.',
  ],
})
