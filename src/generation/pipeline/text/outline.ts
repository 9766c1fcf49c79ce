import type { DocumentRequest } from '../../../contract/generation/requests.ts'
import { excerpt } from '../../../lib/text.ts'
import type { JobRun } from '../../jobs/job.ts'
import type { TextProvider } from '../../providers/types.ts'
import type { Source } from '../types.ts'
import { askModel } from './ask-model.ts'
import { cleanHeading, cleanNewsHeading } from './blocks.ts'
import { cleanLine, createCitations, plainText } from './inlines.ts'
import {
  coerceOutline,
  type Outline,
  outlineSchema,
  type PictureBrief,
  type PlannedPart,
  type TextShape,
} from './plan.ts'
import { systemPrompt } from './prompts.ts'
import { cleanTitle } from './title.ts'

/** A plan of the text, with as many sections as its length has room for. */
export async function planOutline(
  run: JobRun<'document'>,
  writers: readonly TextProvider[],
  shape: TextShape,
  sources: readonly Source[],
): Promise<Outline> {
  const { answer } = await askModel(run, writers, {
    part: 'outline',
    name: 'outline',
    system: systemPrompt(run.request),
    asked: outlineQuestion(run.request, shape, sources),
    schema: outlineSchema(shape),
    loosen: coerceOutline,
    unusable: ({ title }) =>
      /[\p{L}\p{N}]/u.test(cleanTitle(title, createCitations(sources, '')))
        ? undefined
        : `title: must have words, and ${JSON.stringify(excerpt(title, 80))} has only marks`,
    complaints: (outline) => unplannedContent(outline, run.request.prompt),
  })
  return cleanOutline(answer, shape, sources)
}

/** What the prompt asks for by these words; in other languages the rules of the question must do. */
const requestedContent = {
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

/** Without more sections than there is room for, and with headings that are headings, each once. */
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
  const sections = outline.parts.filter(({ role }) => role === 'section').slice(0, shape.sections)
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

/** Characters of each source that the outline is planned with. */
const SOURCE_EXCERPT_LENGTH = 800

/** The question for an outline. */
const outlineQuestion = (request: DocumentRequest, shape: TextShape, sources: readonly Source[]): object => ({
  task: 'Plan the document.',
  prompt: request.prompt,
  length: `${request.text.length} ${shape.unit} in all`,
  sections: shape.sections,
  ...(request.keywords.length > 0 && { keywords: request.keywords }),
  sources: sources.map(({ id, title, published, text }) => ({
    id,
    title,
    ...(published !== undefined && { published }),
    text: text.slice(0, SOURCE_EXCERPT_LENGTH),
  })),
  how: [
    `Plan exactly ${shape.sections} sections${shape.kind === 'news' ? ' after the lead' : ' beside the opening'}.`,
    shape.kind === 'news'
      ? 'The headline says what happened, with a verb, in at most 90 characters. "heading" is a crosshead of two to six words that names a fact, never a question, a number or an instruction.'
      : 'The title has at most 70 characters. "heading" is short, says what its section tells, and is in the order of the text; not "Introduction", not numbered.',
    '"points" are what the part must say, each once in the whole document, no text.',
    '"sources" are the ids of the sources that the part draws on, or empty.',
    '"holds" is "table", "code" or "list" where the prompt asks for one there, or the matter cannot be told otherwise; else "text". What the prompt asks for must be planned.',
    '"description" tells somebody who searches what the document says, in 80 to 150 characters.',
    '"picture" is what a picture there shows: "subject" for the artist, concrete and without any writing in it; "alt" in words for who cannot see it, one sentence in the language of the document.',
  ],
})
