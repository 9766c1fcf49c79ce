import type { DocumentRequest } from '../../../../contract/generation/requests.ts'
import type { Source } from '../../types.ts'
import type { Shape } from '../shape.ts'

/** Characters of each source that the outline is planned with. */
const EXCERPT = 800

/** The question for an outline. */
export const outlineQuestion = (
  request: DocumentRequest,
  shape: Shape,
  sources: readonly Source[],
): object => ({
  task: 'Plan the document.',
  prompt: request.prompt,
  length: `${request.text.length} ${shape.unit} in all`,
  sections: shape.sections,
  ...(request.keywords.length > 0 && { keywords: request.keywords }),
  sources: sources.map(({ id, title, published, text }) => ({
    id,
    title,
    ...(published !== undefined && { published }),
    text: text.slice(0, EXCERPT),
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
