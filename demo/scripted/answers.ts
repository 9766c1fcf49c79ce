import { readFileSync } from 'node:fs'

interface Script {
  queries: object
  outline: object
  sections: { heading: string; holds: string; picture: object; block: object; sentences: string[] }[]
  opening: string[]
  closing: string[]
  more: string[]
}

const script: Script = JSON.parse(readFileSync(new URL('script.json', import.meta.url), 'utf8'))

/** What the answers look at of a question. */
interface Asked {
  sections?: number
  length?: number
  part?: { heading?: string }
  outline?: string[]
  text?: string
  task?: string
  paragraphs?: { text: string; keywords: string[] }[]
}

/**
 * The scripted answer to a question: always about the same subject, whatever the prompt is, at about the length that is
 * asked for. Nothing here understands a word.
 *
 * @param name of the schema that the answer should have
 * @param question as it was put, JSON or not
 */
export function scriptedAnswer(name: string, question: string): object {
  if (name === 'queries') return script.queries
  const asked: Asked = JSON.parse(question)
  if (name === 'outline') return outline(asked)
  if (name === 'paragraphs')
    return { paragraphs: asked.paragraphs?.map(({ text, keywords }) => `${text} (${keywords.join(', ')})`) }
  return section(asked)
}

const outline = ({ sections = 1 }: Asked) => ({
  ...script.outline,
  sections: Array.from({ length: sections }, (_, index) => {
    const { heading, holds, picture } = of(index)
    const again = Math.floor(index / script.sections.length)
    return {
      heading: again === 0 ? heading : `${heading} (${again + 1})`,
      points: [],
      sources: [],
      holds,
      picture,
    }
  }),
})

const of = (index: number) => {
  const found = script.sections[index % script.sections.length]
  if (found === undefined) throw new Error('the script has no sections')
  return found
}

function section({ length = 100, part, outline: parts = [], text, task }: Asked): object {
  if (text !== undefined) return { blocks: [paragraph(text.split(/(?<=[.?!])\s+/), length)] }
  if (task?.startsWith('Go on')) return { blocks: [paragraph(script.more, length)] }
  const place = parts.indexOf(part?.heading || 'opening')
  const told = script.sections.find(({ heading }) => part?.heading?.startsWith(heading))
  if (told === undefined) return { blocks: [paragraph(place <= 0 ? script.opening : script.closing, length)] }
  const left = length - JSON.stringify(told.block).split(/\s+/).length
  const half = Math.ceil(told.sentences.length / 2)
  return {
    blocks: [
      paragraph(told.sentences.slice(0, half), left / 2),
      told.block,
      paragraph(told.sentences.slice(half), left / 2),
    ],
  }
}

/** As many of the sentences as come closest to so many words, one at least. */
function paragraph(sentences: readonly string[], words: number): object {
  const taken: string[] = []
  let count = 0
  for (const sentence of sentences) {
    const own = sentence.split(' ').length
    if (taken.length > 0 && count + own / 2 > words) break
    taken.push(sentence)
    count += own
  }
  return { type: 'paragraph', text: taken.join(' ') }
}
