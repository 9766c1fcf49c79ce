import { type Element, isTag } from 'domhandler'
import { DomUtils } from 'htmlparser2'
import { byName, isAddress, setOf } from '../../blocks/wire.ts'
import { excerpt } from '../../lib/text.ts'
import type { FormatWarnings } from '../format.ts'
import { around, hasClass, isFormula, latexOf, numberOf, styleOf, textOf } from './dom.ts'
import { readers } from './elements.ts'
import { shortcodesIn } from './shortcodes.ts'

/*
 * What a post cannot show of a page, and the words for it.
 */

/** Shown to nobody, or read elsewhere. */
const silentElements = setOf('base head link meta param script source style template title track wbr rp')

/** A drawing beside words that say the same, and not one to look at. */
const isIcon = (element: Element): boolean =>
  element.attribs['aria-hidden'] === 'true' ||
  (numberOf(element, 'width') ?? MAX_ICON + 1) <= MAX_ICON ||
  around(element)?.name === 'button'

/** What reveal.js shows to the speaker alone. */
const isSpeakerNote = (element: Element): boolean =>
  element.name === 'aside' && hasClass(element, 'notes') && around(element)?.name === 'section'

/** Pixels. */
const MAX_ICON = 48

/** Signs beside headings that lead to themselves. */
const permalinks = /(?:^|\s)(?:headerlink|header-anchor|hash-link|anchorjs-link)(?:\s|$)/

/** Shown, and not in words that a post can have. */
const lostElements = byName({
  canvas: 'A drawing (canvas)',
  'input textarea': 'A field of a form',
  map: 'The areas of a picture (map)',
  noscript: 'What is shown where scripts do not run (noscript)',
  select: 'A choice of a form',
  svg: 'A drawing (svg)',
})

/** Says what an element has that a post cannot show. @returns whether nothing in it is read */
export function isSilent(element: Element, warnings: FormatWarnings): boolean {
  const { name, attribs } = element
  if (name === 'a' && permalinks.test(attribs.class ?? '')) return true
  if (name === 'script' && latexOf(element) !== undefined) return false
  const quoted = () => {
    const inside = DomUtils.find(isTag, [element], true, 20) as Element[]
    const attributes = inside.flatMap(({ attribs: { value, alt, href, src } }) => [value, alt, href ?? src])
    const said = [textOf(element), ...attributes].filter(Boolean).join(' ')
    return said === '' ? '' : `: “${excerpt(said, 80)}”`
  }
  if (hasLooks(element)) warnings.changed('Colours, sizes and typefaces of letters are not kept.')
  if (attribs.dir === 'rtl') warnings.note('Text from right to left stands as the theme has it.')
  const [, picture] =
    /background[a-z-]{0,9}:[^;()]{0,200}url\(\s?["']?([^"')]+)/i.exec(attribs.style ?? '') ?? []
  const drawn = attribs.role === 'img' && name !== 'img' ? (attribs['aria-label'] ?? '') : ''
  if (picture || drawn)
    warnings.leftOut(
      `A picture in the background is left out: ${excerpt([drawn, picture].join(' ').trim(), 200)}.`,
    )
  const address = /[-:]/.test(name) && !readers.has(name) && Object.values(attribs).find(isAddress)
  if (address)
    warnings.leftOut(
      `“${excerpt(name, 60)}” is not known, and its address is left out: ${excerpt(address, 200)}.`,
    )
  if (isFormula(element) && latexOf(element) === undefined && textOf(element) !== '')
    warnings.leftOut(
      `A formula without its LaTeX is left as its signs, in one line: “${excerpt(textOf(element), 80)}”.`,
    )
  const isHidden =
    attribs.hidden !== undefined || styleOf(element, 'display') === 'none' || isSpeakerNote(element)
  const lost = lostElements.get(name)
  if (isHidden) warnings.note(`Hidden text is left out${quoted()}.`)
  else if (/^https?:\/\/gist\.github\.com\//.test(attribs.src ?? ''))
    warnings.leftOut(`A script that shows code is left out: ${excerpt(attribs.src ?? '', 200)}.`)
  else if (name === 'script' || name === 'style') warnings.note(`A ${name} is left out.`)
  else if (name === 'svg' && isIcon(element)) warnings.note('An icon is left out.')
  else if (lost !== undefined && !(name === 'input' && attribs.type === 'hidden'))
    warnings.leftOut(`${lost} is left out${quoted()}.`)
  const isSign = styleOf(element, 'mso-list') === 'ignore'
  return isHidden || lost !== undefined || silentElements.has(name) || isSign
}

/** Whether letters are to look other than black on white. Word processors write those of every text. */
const hasLooks = (element: Element): boolean =>
  /^(?:font|big)$/.test(element.name) ||
  /\bhas-(?:[\w-]*-(?:color|background|font-size)|drop-cap)\b/.test(element.attribs.class ?? '') ||
  ['color', 'background-color', 'background'].some((name) => !usualColours.test(styleOf(element, name)))

const usualColours =
  /^(?:|inherit|initial|transparent|none|currentcolor|auto|black|white|window(?:text)?|#0+|#f+|rgba?\((?:0, ?0, ?0|255, ?255, ?255)\b.*)(?: !important)?$/

/** Formulas that a script sets where the page is shown. */
const formulasInText = /\\\([^\n]{1,300}?\\\)|\\\[[^\n]{1,300}?\\\]|\$\$[^$\n]{1,300}\$\$/g

/** Signs that a script or WordPress would replace where the page is shown. */
export function warnOfText(text: string, warnings: FormatWarnings): void {
  for (const shortcode of shortcodesIn(text))
    warnings.leftOut(`A shortcode is not run, and appears as plain text: “${excerpt(shortcode, 80)}”.`)
  for (const formula of text.match(formulasInText) ?? [])
    warnings.leftOut(`A formula in the text appears as its LaTeX source: “${excerpt(formula, 80)}”.`)
}

/** A comment of the block editor for a block without markup, which WordPress makes when the page is shown. */
export function warnOfComment(data: string, warnings: FormatWarnings): void {
  const [, name] = /^\s*wp:(\S+)\s(?:.*\s)?\/$/s.exec(data) ?? []
  if (/^\s*(?:more|nextpage)\b/.test(data))
    warnings.changed(
      'The text is not divided: a mark of WordPress for its beginning or its pages is left out.',
    )
  if (/^\s*wp:shortcode\b/.test(data)) warnings.leftOut('A shortcode is not run, and appears as plain text.')
  if (name !== undefined && name !== 'more' && name !== 'spacer')
    warnings.leftOut(`The block “${excerpt(name, 60)}” has no text of its own and is left out.`)
}
