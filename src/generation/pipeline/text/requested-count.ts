const words = (list: string): string[] => list.split(/\s+/)

const numbers = new Map([
  ...words(
    'two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
  ).map((word, index) => [word, index + 2] as const),
  ...words(
    'zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn',
  ).map((word, index) => [word, index + 2] as const),
  ...words('dozen dutzend').map((word) => [word, 12] as const),
])

/** `twenty five` is no five. The outline decides over numbers that are written in longer words. */
const tens = new Set(words('twenty thirty forty fifty sixty seventy eighty ninety'))

const sectionWords = new Set(
  words(
    `section sections chapter chapters headings subheadings parts
    abschnitte abschnitten kapitel kapiteln überschriften zwischenüberschriften teile teilen`,
  ),
)

/** What a text has a section for each of; in German also as the dative has it. */
const countedWords = new Set(
  words(
    `way ways tip tips reason reasons things idea ideas step steps mistakes errors facts rule rules tricks hacks secrets
    lessons benefits advantages disadvantages strategies methods techniques questions point points principles habits signs
    myths trends tools places recipes books films movies apps factors types kinds causes challenges
    wege wegen weg möglichkeiten tipps gründe gründen dinge dingen ideen schritt schritte schritten fehler fehlern fakten
    regeln tricks kniffe kniffen geheimnisse geheimnissen lektionen vorteile vorteilen nachteile nachteilen strategien
    methoden fragen punkte punkten prinzipien gewohnheiten anzeichen mythen werkzeuge werkzeugen orte orten rezepte rezepten
    bücher büchern filme filmen faktoren arten ursachen
    façons raisons conseils étapes astuces idées erreurs choses formas maneras razones consejos pasos errores cosas
    modi motivi consigli passi idee errori cose maneiras razões dicas passos manieren redenen stappen`,
  ),
)

const superlatives = new Set(
  words(
    `best worst top most greatest biggest largest smallest cheapest fastest easiest safest healthiest strangest oldest tallest
    besten schlechtesten größten kleinsten schönsten wichtigsten häufigsten günstigsten schnellsten einfachsten
    beliebtesten spannendsten ältesten größten stärksten`,
  ),
)

/** Words after which a number counts something else: `5 minutes with easy steps`, `3 people share tips`. */
const otherWords = new Set(
  words(
    `second seconds minute minutes hour hours day days week weeks month months year years
    sekunden minuten stunden tage tagen wochen monate monaten jahre jahren
    people persons men women children experts friends customers readers users students companies
    menschen leute leuten personen kinder experten kunden
    euro euros dollar dollars percent prozent words wörter worte characters zeichen pages seiten images pictures bilder km kg
    of for with or in on at to from by than per the a an is are share
    von für mit oder im auf bei zu aus als pro der die das dem den ein eine`,
  ),
)

const eachWords = new Set(words('per each je pro'))

/** Words between a number and what it counts: `ten simple and cheap ways`. */
const MAX_WORDS_BETWEEN = 3

/** Sections at most: an outline of more is not written in one answer. */
export const MAX_SECTIONS = 100

/** How many sections a prompt spells out: `10 ways to …`, `zehn Tipps`; undefined for none or several. */
export function requestedSections(prompt: string): number | undefined {
  const text = prompt.normalize('NFC').toLowerCase()
  const tokens = text.match(/\p{L}+|\d+(?:[.,]\d+){0,5}|[^\s\p{L}\d-]/gu) ?? []
  const named = new Set<number>()
  const counted = new Set<number>()
  for (const at of tokens.keys()) {
    const number = numbers.get(tokens[at] ?? '') ?? Number(tokens[at])
    if (!Number.isInteger(number) || tens.has(tokens[at - 1] ?? '')) continue
    // `11 (elf)` is one number.
    const next = tokens[at + 1] === '(' && tokens[at + 3] === ')' ? at + 4 : at + 1
    const kind = whatIsCounted(tokens, at, next)
    if (kind === 'sections') named.add(number)
    else if (kind === 'things' || (tokens[at - 1] === 'top' && !isShare(tokens[next]))) counted.add(number)
  }
  const [count = 0, ...more] = named.size > 0 ? named : counted
  return more.length === 0 && count >= 2 && count <= MAX_SECTIONS ? count : undefined
}

const isShare = (token: string | undefined): boolean => /^(?:%|percent|prozent)$/.test(token ?? '')

function whatIsCounted(tokens: readonly string[], at: number, from: number) {
  // An amount, such as `€5` or `#5`.
  if (/^[^\p{L}\d"'“„«(,;:.!?]$/u.test(tokens[at - 1] ?? '')) return undefined
  if (superlatives.has(tokens[from] ?? '') && /\p{L}/u.test(tokens[from + 1] ?? '')) return 'things'
  for (const [index, word] of tokens.slice(from, from + MAX_WORDS_BETWEEN + 1).entries()) {
    const after = tokens.slice(from + index + 1, from + index + 3)
    if (sectionWords.has(word)) return 'sections'
    if (countedWords.has(word)) return after.some((one) => eachWords.has(one)) ? undefined : 'things'
    if (otherWords.has(word) || !/\p{L}/u.test(word)) return undefined
  }
  return undefined
}
