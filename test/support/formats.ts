import { readFileSync } from 'node:fs'
import type { ForeignDocument } from '../../src/formats/format.ts'

/** What people see of a document: its texts, and the addresses of its links, pictures and files. */
export interface Shown {
  readonly texts: string[]
  readonly addresses: string[]
}

/** Documents that other projects publish, each with where it is from (NOTICE.md beside them). */
export const fixtures = (format: string): { source: string; document: unknown }[] =>
  JSON.parse(readFileSync(`test/fixtures/formats/${format}/documents.json`, 'utf8'))

const addressNames = new Set(['url', 'link', 'poster'])
const settingNames = new Set(['type', 'language', 'anchor', 'kind', 'align'])

/** What people see of a document of ours, whatever its blocks are. */
export function shownIn(value: unknown, shown: Shown = { texts: [], addresses: [] }, name = ''): Shown {
  if (typeof value === 'string') {
    if (addressNames.has(name)) shown.addresses.push(value)
    else if (!settingNames.has(name)) shown.texts.push(value)
  } else if (Array.isArray(value)) for (const element of value) shownIn(element, shown, name)
  else if (typeof value === 'object' && value !== null)
    for (const [member, inner] of Object.entries(value)) shownIn(inner, shown, member)
  return shown
}

const withoutSpace = (texts: readonly string[]): string => texts.join('').replace(/\s+/g, '')

/** What `before` shows and `after` neither shows nor names as left out. */
export function missingIn(after: ForeignDocument, before: Shown): string[] {
  const shown = shownIn([after.meta, after.content])
  const leftOut = after.warnings
    .filter(({ code }) => code === 'format_left_out')
    .map(({ message }) => message)
    .join('\n')
  const words = `${withoutSpace(shown.texts)} ${withoutSpace([leftOut])}`
  const texts = before.texts.filter((text) => !words.includes(withoutSpace([text])))
  const tooFew = withoutSpace(before.texts).length - words.length
  return [
    ...texts,
    ...before.addresses.filter((address) => !shown.addresses.includes(address) && !leftOut.includes(address)),
    ...(tooFew > 0 ? [`${tooFew} characters`] : []),
  ]
}
