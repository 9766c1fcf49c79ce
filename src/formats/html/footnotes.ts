import { type ChildNode, type Element, isTag, isText } from 'domhandler'
import { setOf } from '../../blocks/wire.ts'
import { groupBy } from '../../lib/group-by.ts'
import { around, elementsIn, findElement, findNamed, hasClass } from './dom.ts'

interface Footnotes {
  /** What a reference to a note shows: the element that holds its text. */
  readonly texts: ReadonlyMap<Element, Element>
  /** The notes themselves, and the links that lead back. */
  readonly silent: ReadonlySet<Element>
}

const owners = setOf('li p div aside section dd td span')

/** The nearest element around a link that other links can lead to. */
const ownerOf = (link: Element): Element | undefined =>
  around(link, ({ name, attribs }) => owners.has(name) && attribs.id !== undefined)

/** What an address leads to in its page: exports of a post have the whole address. */
const fragmentOf = ({ attribs: { href = '' } }: Element): string =>
  href.includes('#') ? href.slice(href.lastIndexOf('#') + 1) : ''

/** The sign that an element shows, such as `[1]`; empty for one that shows more. */
function signOf({ children }: Element): string {
  // Word writes conditions beside it.
  const [only, ...others] = children.filter((child) => isTag(child) || isText(child))
  if (only === undefined || others.length > 0) return ''
  if (isTag(only)) return signOf(only)
  return isText(only) && only.data.length < 10 ? only.data.trim() : ''
}

/** The note whose number is this place, the same sign as its reference, as Substack and Google Docs write it. */
function holderOf(place: Element, reference: Element): Element | undefined {
  if (place.name !== 'a' || signOf(place) === '' || signOf(place) !== signOf(reference)) return undefined
  const holder = around(place, ({ name }) => name !== 'span' && owners.has(name))
  return around(reference, (element) => element === holder) ? undefined : holder
}

/**
 * Finds footnotes: a link to a note that links back to where the first link is. All makers of HTML write them so: the
 * block editor, GitHub, pandoc, and word processors.
 */
export function findFootnotes(nodes: readonly ChildNode[]): Footnotes {
  const links = findNamed(nodes, 'a').filter((link) => fragmentOf(link) !== '')
  const texts = new Map<Element, Element>()
  const silent = new Set<Element>()
  if (links.length < 2) return { texts, silent }
  const places = new Map<string, Element>()
  findElement(nodes, (element) => {
    const name = element.attribs.id ?? (element.name === 'a' ? element.attribs.name : undefined)
    if (name !== undefined && !places.has(name)) places.set(name, element)
    return false
  })
  const target = (link: Element) => places.get(fragmentOf(link))
  /** By the place to which a reference leads. */
  const notes = new Map<Element, Element>()
  const earlier = new Set<Element>()
  const ownLinks = groupBy(links, ownerOf)
  const backLinks = new Map([...ownLinks].map(([owner, own]) => [owner, groupBy(own, target)]))
  for (const link of links) {
    const place = target(link)
    const holder = place && !earlier.has(place) ? holderOf(place, link) : undefined
    earlier.add(link)
    if (place === undefined || silent.has(link)) continue
    const note = holder ?? place
    const back = holder ? groupBy([place], target) : backLinks.get(place)
    const isWithin = holder ? place === link : ownerOf(link) === place
    const answers = [link, link.parent].map((at) => back?.get(at as Element) ?? [])
    if (isWithin || answers.every(({ length }) => length === 0)) continue
    silent.add(note)
    for (const answer of answers.flat()) silent.add(answer)
    notes.set(place, note)
  }
  for (const link of links) {
    const place = target(link)
    const note = place && notes.get(place)
    if (note !== undefined && !silent.has(link)) texts.set(link, note)
  }
  const lists = [...notes.values()].map((note) => note.name === 'li' && around(note))
  for (const list of new Set(lists)) if (list) silenceList(list, silent)
  return { texts, silent }
}

/** A list of notes alone, and the section that has nothing else, are not shown. */
function silenceList(list: Element, silent: Set<Element>): void {
  if (!elementsIn(list.children).every((item) => silent.has(item))) return
  silent.add(list)
  const section = around(list)
  if (section === undefined) return
  if (hasClass(section, 'footnotes') || section.attribs['data-footnotes'] !== undefined) silent.add(section)
}
