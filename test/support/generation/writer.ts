import type { TextProvider, TextRequest, WrittenText } from '../../../src/generation/providers/types.ts'
import { type Random, seeded } from '../random.ts'

export interface WriterOptions {
  seed: number
  language?: Language
  /** What comes by what was asked for is log-normal: so much on average, and so much around it. */
  habit?: number
  spread?: number
  /** In so many of a hundred answers something is wrong with the form. */
  broken?: number
  breakages?: readonly Breakage[]
  /** Puts in the place of what it would answer; undefined leaves it. */
  instead?: (request: TextRequest, question: WriterQuestion, text: string) => WrittenText | string | undefined
}

/** What may be wrong with the form of an answer. */
export type Breakage = (text: string, random: Random) => WrittenText | string

/** What a question holds, as far as the writer looks. */
export interface WriterQuestion {
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
export function simulatedWriter(habits: WriterOptions): TextProvider & { requests: TextRequest[] } {
  const { seed, language = 'en', habit = 1, spread = 0.4, broken = 0, breakages = [], instead } = habits
  const random = seeded(seed)
  const requests: TextRequest[] = []
  const missed = (length: number) =>
    Math.max(4, Math.round(length * habit * Math.exp(spread * random.normal())))

  const answers: Record<string, (asked: WriterQuestion) => object> = {
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
      const question = JSON.parse(request.messages[0]?.content ?? '{}') as WriterQuestion
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
  { sections = 3, sources = [], prompt = '', unit }: WriterQuestion,
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
  { keywords = [], sources = [], how = [] }: WriterQuestion,
  length: number,
  language: Language,
  random: Random,
) {
  const blocks: object[] = []
  let left = length
  while (left > 0) {
    const size = Math.min(left, 30 + Math.floor(random.next() * 60))
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

/** Languages in which the simulated writer strings words together; it makes no sense in any. */
export type Language = 'en' | 'de' | 'ar' | 'ja' | 'zh'

const words: Record<Language, string> = {
  en: 'the tide rises along every coast while water gathers under the moon and slowly falls again as wide bays answer with delay because narrow channels hold it back near old harbours where people measure levels each morning',
  de: 'die Flut steigt an jeder Küste während sich Wasser unter dem Mond sammelt und langsam wieder fällt weil enge Buchten später antworten wo Menschen früh am Morgen den Pegel messen über viele Jahre',
  ar: 'يرتفع المد على كل ساحل بينما يتجمع الماء تحت القمر ثم ينخفض ببطء لأن الخلجان الضيقة تتأخر حيث يقيس الناس المستوى كل صباح منذ سنوات طويلة',
  ja: '潮 は 月 の 引力 に よって 海岸 で 毎日 二回 満ち 干き し 湾 の 形 が 水位 を 大きく 変える ため 人々 が 朝 早く 港 で 測る',
  zh: '潮汐 在 每个 海岸 随着 月球 的 引力 上升 然后 慢慢 下降 因为 狭窄 的 海湾 会 延迟 人们 每天 早晨 测量 水位 多年 以来',
}

const stops: Record<Language, string> = { en: '.', de: '.', ar: '.', ja: '。', zh: '。' }

/** So much text, in words, or in characters where words have no spaces between them. */
export function sentences(language: Language, length: number, random: Random): string {
  const unspaced = language === 'ja' || language === 'zh'
  const bank = words[language].split(' ')
  const all: string[] = []
  let left = Math.round(length)
  while (left > 0) {
    const sentence: string[] = []
    const size = Math.min(left, 8 + Math.floor(random.next() * 14))
    let used = 0
    while (used < size) {
      const word = random.pick(bank)
      sentence.push(word)
      used += unspaced ? word.length : 1
    }
    const joined = sentence.join(unspaced ? '' : ' ') + stops[language]
    all.push(joined.charAt(0).toUpperCase() + joined.slice(1))
    left -= used + (unspaced ? 1 : 0)
  }
  return all.join(unspaced ? '' : ' ')
}
