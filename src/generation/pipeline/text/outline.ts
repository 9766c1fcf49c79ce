import { excerpt } from '../../../text.ts'
import type { JobRun } from '../../jobs/run.ts'
import type { TextProvider } from '../../providers/types.ts'
import type { Source } from '../types.ts'
import { ask } from './ask.ts'
import { headingOf } from './blocks.ts'
import { citationsOf } from './citations.ts'
import { cleanLine } from './clean.ts'
import { plainOf } from './inlines.ts'
import { newsHeading } from './news.ts'
import {
  loosenOutline,
  type Outline,
  outlineSchema,
  type PictureWords,
  type PlannedPart,
} from './outline-schema.ts'
import { outlineQuestion } from './prompts/outline.ts'
import { rules } from './prompts/rules.ts'
import type { Shape } from './shape.ts'
import { titleOf } from './title.ts'

/** A plan of the text, with as many sections as its length has room for. */
export async function planOutline(
  run: JobRun<'document'>,
  writers: readonly TextProvider[],
  shape: Shape,
  sources: readonly Source[],
): Promise<Outline> {
  const { answer } = await ask(run, writers, {
    part: 'outline',
    name: 'outline',
    system: rules(run.request),
    asked: outlineQuestion(run.request, shape, sources),
    schema: outlineSchema(shape),
    loosen: loosenOutline,
    unusable: ({ title }) =>
      /[\p{L}\p{N}]/u.test(titleOf(title, citationsOf(sources, '')))
        ? undefined
        : `title: must have words, and ${JSON.stringify(excerpt(title, 80))} has only marks`,
    complaints: (outline) => unplanned(outline, run.request.prompt),
  })
  return cleanOutline(answer, shape, sources)
}

/** What the prompt asks for by these words; in other languages the rules of the question must do. */
const asked = {
  table: /\b(?:tables?|tabelle[n]?|tableau|tabla|tabella|tabela)\b/i,
  code: /\b(?:code (?:examples?|samples?|snippets?|blocks?)|codebeispiele?|source code|exemples? de code)\b/i,
} as const

function unplanned({ parts }: Outline, prompt: string): string[] {
  return (['table', 'code'] as const)
    .filter((kind) => asked[kind].test(prompt) && !parts.some(({ holds }) => holds === kind))
    .map(
      (kind) =>
        `sections: the prompt asks for a ${kind === 'table' ? 'table' : 'block of code'}, and none "holds" one`,
    )
}

/** Without more sections than there is room for, and with headings that are headings, each once. */
function cleanOutline(outline: Outline, shape: Shape, sources: readonly Source[]): Outline {
  const citations = citationsOf(sources, '')
  const known = new Set(sources.map(({ id }) => id))
  const used = new Set([outline.title.toLowerCase()])
  const heading = ({ role, heading: written, points }: PlannedPart): string => {
    if (role === 'opening') return ''
    const [text] = [written, ...(shape.kind === 'news' ? [] : [points[0] ?? ''])]
      .map((line) => headingOf(line, citations) ?? '')
      .map((line) => (shape.kind === 'news' ? newsHeading(line) : line))
      .filter((line) => line !== '' && !used.has(line.toLowerCase()))
    used.add(text?.toLowerCase() ?? '')
    return text ?? ''
  }
  const sections = outline.parts.filter(({ role }) => role === 'section').slice(0, shape.sections)
  const parts = outline.parts.filter((part) => part.role !== 'section' || sections.includes(part))
  const plain = (line: string): string => plainOf(line, citations)
  const plainPicture = ({ subject, alt }: PictureWords): PictureWords => ({
    subject: plain(subject),
    alt: plain(alt),
  })
  return {
    ...outline,
    description: plain(outline.description),
    picture: plainPicture(outline.picture),
    title: titleOf(outline.title, citations),
    parts: parts.map((part) => ({
      ...part,
      heading: heading(part),
      picture: plainPicture(part.picture),
      points: part.points.map(cleanLine).filter(Boolean),
      sources: part.sources.filter((id) => known.has(id)),
    })),
  }
}
