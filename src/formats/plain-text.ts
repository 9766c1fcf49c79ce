import { decodeHTMLStrict } from 'entities'
import { membersOf, type WireObject } from '../blocks/wire.ts'
import type { Warning } from '../errors.ts'
import { excerpt, pluralize } from '../lib/text.ts'
import type { WarningCode } from '../warnings.ts'
import { addressNames, type Members, settings } from './foreign.ts'

/** Whether a content is a document in our own format. */
export function isOurs(content: unknown): content is WireObject {
  const { type, nodeType, content: blocks } = membersOf(content)
  return Array.isArray(blocks) && nodeType === undefined && (type ?? 'document') === 'document'
}

/** Signs of which a text with any of the rest has one: of a list a line break, since its pattern needs two items. */
const anySign = /[*_`~[<>&#|\n]/

/*
 * Signs of Markdown that ordinary text does not have: `2 * 3 * 4`, `snake_case`, `# of users`, `> 5` and `(*)` are none. No
 * pattern looks further than a line, so that a text takes as long as it is.
 */
const markdownSigns: readonly RegExp[] = [
  /(?:^|[^\w*\\])\*\*[^\s*](?:[^*\n]{0,300}[^\s*])?\*\*(?![\w*])/,
  /(?:^|[^\w\\])__[^\s_][^_\n]{0,300}\s[^_\n]{0,200}[^\s_]__(?!\w)/,
  /(?:^|[^\w*\\])\*[\p{L}\p{N}"“][^*\n]{0,300}[\p{L}\p{N}.!?"”]\*(?![\w*])/u,
  /(?:^|[^\w\\])_\p{L}[^_\n]{0,300}[\p{L}.!?]_(?!\w)/u,
  /~~\S[^~\n]{0,300}~~/,
  /!?\[[^[\]\n]{0,300}\]\((?:https?:|mailto:|\/|#|\.)[^()\s]{0,2000}\)/,
  /(?:^|[^`])`[^`\s](?:[^`\n]{0,300}[^`\s])?`(?!`)/,
  /^\s{0,3}(?:```|~~~)/m,
  /^#{2,6} \S|^# \S.*\n/m,
  /^\s{0,3}[-*+] \S.*\n\s{0,3}[-*+] \S/m,
  /^\s{0,3}\d{1,3}[.)] \S.*\n\s{0,3}\d{1,3}[.)] \S/m,
  /^\s{0,3}\|?[^|\n]{1,300}\|.*\n\s{0,3}\|?\s{0,9}:?-{2,}/m,
  /^> \p{L}/mu,
  /\[\^\d{1,4}\]/,
  /<(?:https?:\/\/|mailto:)[^<>\s]{1,2000}>/,
]

const htmlSigns: readonly RegExp[] = [
  /<(a|b|i|em|strong|u|s|p|div|span|h[1-6]|ul|ol|li|table|tr|td|th|blockquote|code|pre|sup|sub|figure|section|del|ins|mark|small|font|center|iframe|script|style|video|audio)(?:\s[^<>\n]{0,500})?>[^<\n]{0,500}<\/?/i,
  /<(?:a|img|iframe|div|span|p|table|video|audio)\s[^<>\n]{0,100}=[^<>\n]{0,2000}>/i,
  /<(?:br|hr)\s?\/?>/i,
]

const entity = /&(?:#\d{2,6}|#x[\da-f]{2,5}|[a-z][a-z\d]{1,30});/gi

const kinds: readonly { code: WarningCode; what: string; find: (text: string) => string | undefined }[] = [
  { code: 'looks_like_markdown', what: 'Markdown', find: (text) => first(markdownSigns, text) },
  { code: 'looks_like_html', what: 'HTML', find: (text) => first(htmlSigns, text) },
  {
    code: 'entity_in_text',
    what: 'an entity of HTML',
    find: (text) => text.match(entity)?.find((found) => decodeHTMLStrict(found) !== found),
  },
]

function first(patterns: readonly RegExp[], text: string): string | undefined {
  for (const pattern of patterns) {
    const [found] = pattern.exec(text) ?? []
    if (found !== undefined) return found
  }
  return undefined
}

const MAX_EXAMPLES = 3

/**
 * Warns of markup in texts that are shown as they are written.
 * @param blocks of a document in our format, and its title and description
 */
export function warnOfMarkup(blocks: unknown): Warning[] {
  const found = kinds.map((kind) => ({ ...kind, examples: [] as string[] }))
  visitTexts(blocks, (text) => {
    if (!anySign.test(text) || /^\s*https?:\S+\s*$/.test(text)) return
    for (const { find, examples } of found) {
      const example = find(text)
      if (example !== undefined) examples.push(example)
    }
  })
  return found.flatMap(({ code, what, examples }) => {
    if (examples.length === 0) return []
    const shown = examples.slice(0, MAX_EXAMPLES).map((example) => `“${excerpt(example.trim(), 60)}”`)
    return [
      {
        code,
        message: `${pluralize(examples.length, 'text has', 'texts have')} what looks like ${what}, and readers see its signs: ${shown.join(', ')}. If it is ${what === 'Markdown' ? 'Markdown' : 'HTML'}, say so in delivery.text_format.`,
      },
    ]
  })
}

const notShown = new Set([
  ...settings,
  ...addressNames,
  ...'alt alt_text altText anchor image_type imageType lang language latex poster slug version'.split(' '),
])

/** Whether a member of a block or an item is no text that a reader sees as it is written. */
export const isSetting = (name: string): boolean => notShown.has(name)

/** Whether signs in its text are meant as they stand. */
export const isVerbatim = ({ type, code }: Members): boolean =>
  code === true || (typeof type === 'string' && /code|^pre|math|embed/i.test(type))

/** Calls `visit` with every text of blocks that a reader sees. As deep as a payload may be. */
function visitTexts(value: unknown, visit: (text: string) => void): void {
  if (typeof value === 'string') visit(value)
  else if (Array.isArray(value)) for (const one of value) visitTexts(one, visit)
  else {
    const members = membersOf(value)
    if (isVerbatim(members)) return
    for (const name in members) if (!isSetting(name)) visitTexts(members[name], visit)
  }
}
