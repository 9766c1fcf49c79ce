import { decodeHTML } from 'entities'
import { Tokenizer } from 'htmlparser2'

/** An opening tag of a page: names in lower case, values with their entities resolved. */
export interface Tag {
  name: string
  attributes: ReadonlyMap<string, string>
  end: number
}

/** Tags of a real page that say who made it; no head has more. */
const MOST_TAGS = 2_000
/** Of one tag, and characters of one value. */
const MOST_ATTRIBUTES = 50
const LONGEST_VALUE = 8_192

/** The opening tags of these names, in time linear in the page: patterns and the parser can be made to take quadratic time. */
export function findTags(html: string, names: readonly string[]): Tag[] {
  const tags: Tag[] = []
  let attributes: Map<string, string> | undefined
  let name = ''
  let attribute = ''
  let value = ''
  const nothing = () => {}
  const leave = (last: number) => {
    if (attributes !== undefined) tags.push({ name, attributes, end: last + 1 })
    attributes = undefined
    if (tags.length === MOST_TAGS) tokenizer.pause()
  }
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname: (start, end) => {
        name = html.slice(start, Math.min(end, start + 20)).toLowerCase()
        attributes = names.includes(name) ? new Map() : undefined
      },
      onattribname: (start, end) => {
        attribute = html.slice(start, Math.min(end, start + 100)).toLowerCase()
        value = ''
      },
      onattribdata: (start, end) => {
        if (value.length < LONGEST_VALUE) value += html.slice(start, Math.min(end, start + LONGEST_VALUE))
      },
      onattribentity: (codePoint) => {
        if (value.length < LONGEST_VALUE) value += String.fromCodePoint(codePoint)
      },
      onattribend: () => {
        if (attributes !== undefined && attributes.size < MOST_ATTRIBUTES && !attributes.has(attribute))
          attributes.set(attribute, value.trim())
      },
      onopentagend: leave,
      onselfclosingtag: leave,
      onclosetag: nothing,
      ontext: nothing,
      ontextentity: nothing,
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      onend: nothing,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  return tags
}

/** What stands between the first `<title>` and the next tag, up to 300 characters; with its entities as written. */
export function pageTitle(html: string): string {
  const open = html.search(/<title[\s>]/i)
  const from = open === -1 ? -1 : html.indexOf('>', open) + 1
  if (from <= 0) return ''
  const end = html.indexOf('<', from)
  return html.slice(from, Math.min(end === -1 ? html.length : end, from + 300))
}

/** Runs of letters and digits alone: quotes, dashes and entities are written in many ways. */
export const wordsIn = (text: string): string[] => decodeHTML(text).match(/[\p{L}\p{N}]+/gu) ?? []

/** Words of the text that a reader sees. Each part after a `<` begins with a tag, up to its `>`. */
export const visibleWords = (markup: string): string[] =>
  wordsIn(
    markup
      .split('<')
      .map((part, index) => (index === 0 ? part : part.slice(part.indexOf('>') + 1)))
      .join(' '),
  )
