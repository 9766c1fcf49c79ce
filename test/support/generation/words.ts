import type { Random } from './random.ts'

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
    const size = Math.min(left, 8 + Math.floor(random.number() * 14))
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
