import type { TextProvider, TextRequest, WrittenText } from '../../../src/generation/providers/types.ts'
import { type Random, randomOf } from './random.ts'
import { type Language, sentences } from './words.ts'

export interface Habits {
  seed: number
  language?: Language
  /** What comes by what was asked for is log-normal: so much on average, and so much around it. */
  habit?: number
  spread?: number
  /** In so many of a hundred answers something is wrong with the form. */
  broken?: number
  breakages?: readonly Breakage[]
  /** Puts in the place of what it would answer; undefined leaves it. */
  instead?: (request: TextRequest, question: Asked, text: string) => WrittenText | string | undefined
}

/** What may be wrong with the form of an answer. */
export type Breakage = (text: string, random: Random) => WrittenText | string

/** What a question holds, as far as the writer looks. */
export interface Asked {
  sections?: number
  length?: number
  unit?: string
  keywords?: string[]
  sources?: { id: string }[]
  paragraphs?: { text: string; keywords: string[] }[]
  prompt?: string
  how?: string[]
  part?: { heading: string }
  task?: string
}

/**
 * A language model of the outside world, simulated: it answers in form, cites, uses keywords, and misses the length it is
 * asked for by a factor that is log-normal, as models do.
 */
export function simulatedWriter(habits: Habits): TextProvider & { requests: TextRequest[] } {
  const { seed, language = 'en', habit = 1, spread = 0.4, broken = 0, breakages = [], instead } = habits
  const random = randomOf(seed)
  const requests: TextRequest[] = []
  const missed = (length: number) =>
    Math.max(4, Math.round(length * habit * Math.exp(spread * random.normal())))

  const answers: Record<string, (asked: Asked) => object> = {
    outline: (asked) => outline(asked, language, random),
    section: (asked) => section(asked, missed(asked.length ?? 100), language, random),
    paragraphs: ({ paragraphs = [] }) => ({
      paragraphs: paragraphs.map(({ text, keywords }) => `${text} ${keywords.join(' ')}.`),
    }),
  }
  return {
    name: 'simulated',
    model: 'log-normal',
    requests,
    write: async (request) => {
      requests.push(request)
      const question = JSON.parse(request.messages[0]?.content ?? '{}') as Asked
      const answer = answers[request.schema?.name ?? '']
      if (answer === undefined) throw new Error(`nothing to answer to ${request.schema?.name}`)
      const text = JSON.stringify(answer(question))
      const wrong =
        random.percent(broken) && breakages.length > 0 ? random.pick(breakages)(text, random) : text
      const given = instead?.(request, question, text) ?? wrong
      const body = typeof given === 'string' ? { text: given, finish: 'stop' } : given
      return { provider: 'simulated', model: 'log-normal', body: JSON.stringify(body) }
    },
    read: ({ body }) => JSON.parse(body.toString()) as WrittenText,
  }
}

function outline(
  { sections = 3, sources = [], prompt = '', unit }: Asked,
  language: Language,
  random: Random,
) {
  const line = (length: number) => sentences(language, length, random).replace(/[.。]$/, '')
  const ids = sources.map(({ id }) => id)
  const picture = () => ({ subject: line(8), alt: line(8) })
  const edge = () => ({ points: [line(6)], sources: ids.slice(0, 1) })
  const holds = ['table', 'code'].filter((kind) => prompt.includes(kind))
  return {
    title: line(7),
    headline: line(7),
    description: line(18),
    picture: picture(),
    opening: edge(),
    lead: edge(),
    sections: Array.from({ length: sections }, (_, index) => ({
      heading: `${line(4)} ${index + 1}`,
      points: [line(6), line(6)],
      sources: [...ids.filter((_, at) => at % sections === index), 's99'],
      holds: holds[index] ?? 'text',
      picture: picture(),
    })),
    closing: { heading: line(4), ...edge() },
    ...(unit === undefined ? {} : {}),
  }
}

function section(
  { keywords = [], sources = [], how = [] }: Asked,
  length: number,
  language: Language,
  random: Random,
) {
  const blocks: object[] = []
  let left = length
  while (left > 0) {
    const size = Math.min(left, 30 + Math.floor(random.number() * 60))
    const text = sentences(language, size, random)
    const cited = random.percent(40)
      ? [...sources.map(({ id }) => id), 's77', 'https://invented.example/a']
      : []
    const link = cited.length > 0 ? ` [${sentences(language, 2, random)}](${random.pick(cited)})` : ''
    blocks.push({ type: 'paragraph', text: `${text}${link}` })
    left -= size
  }
  const [first] = blocks as { text: string }[]
  if (first !== undefined && keywords.length > 0) first.text += ` ${keywords.join(' ')}.`
  if (how.some((rule) => rule.includes('a table')))
    blocks.push({
      type: 'table',
      headers: ['Port', 'Range'],
      rows: [
        ['Brest', '6 m'],
        ['Kiel', '0.1 m'],
      ],
    })
  if (how.some((rule) => rule.includes('block of code')))
    blocks.push({
      type: 'code',
      language: 'TypeScript',
      code: 'const tide = (hour: number) => Math.sin(hour)\n',
    })
  return { blocks }
}
