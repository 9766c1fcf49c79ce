import { type ChildNode, type Element, isTag } from 'domhandler'
import { elementsIn, findElement, findNamed, hasClass } from './dom.ts'

interface Footnotes {
  /** What a reference to a note shows: the element that holds its text. */
  readonly texts: ReadonlyMap<Element, Element>
  /** The notes themselves, and the links that lead back. */
  readonly silent: ReadonlySet<Element>
}

const owners = new Set('li p div aside section dd td span'.split(' '))

/** The nearest element around a link that other links can lead to. */
function ownerOf({ parent }: Element): Element | undefined {
  let at = parent
  while (at !== null && !(isTag(at) && owners.has(at.name) && at.attribs.id !== undefined)) at = at.parent
  return at !== null && isTag(at) ? at : undefined
}

const isAt = (link: Element, place: Element | undefined): boolean =>
  place !== undefined && (place === link || place === link.parent)

/**
 * Finds footnotes: a link to a note that links back to where the first link is. All makers of HTML write them so: the
 * block editor, GitHub, pandoc, and word processors.
 */
export function findFootnotes(nodes: readonly ChildNode[]): Footnotes {
  const links = findNamed(nodes, 'a').filter(
    ({ attribs: { href = '' } }) => href.startsWith('#') && href.length > 1,
  )
  const texts = new Map<Element, Element>()
  const silent = new Set<Element>()
  if (links.length < 2) return { texts, silent }
  const places = new Map<string, Element>()
  findElement(nodes, (element) => {
    const name = element.attribs.id ?? (element.name === 'a' ? element.attribs.name : undefined)
    if (name !== undefined && !places.has(name)) places.set(name, element)
    return false
  })
  const target = ({ attribs: { href = '' } }: Element) => places.get(href.slice(1))
  const backLinks = new Map<Element, Element[]>()
  for (const link of links) {
    const owner = ownerOf(link)
    if (owner !== undefined) backLinks.set(owner, [...(backLinks.get(owner) ?? []), link])
  }
  for (const link of links) {
    const note = target(link)
    const back = (note && backLinks.get(note)) ?? []
    const answers = back.filter((other) => isAt(link, target(other)))
    if (note === undefined || answers.length === 0 || back.includes(link)) continue
    for (const shown of [note, ...answers]) silent.add(shown)
    texts.set(link, note)
  }
  const notes = new Set(texts.values())
  for (const link of links) {
    const note = target(link)
    if (note !== undefined && notes.has(note) && !silent.has(link)) texts.set(link, note)
  }
  for (const note of notes) silenceList(note, silent)
  return { texts, silent }
}

/** A list of notes alone, and the section that has nothing else, are not shown. */
function silenceList({ name, parent: list }: Element, silent: Set<Element>): void {
  if (name !== 'li' || list === null || !isTag(list)) return
  if (!elementsIn(list.children).every((item) => silent.has(item))) return
  silent.add(list)
  const section = list.parent
  if (section === null || !isTag(section)) return
  if (hasClass(section, 'footnotes') || section.attribs['data-footnotes'] !== undefined) silent.add(section)
}
