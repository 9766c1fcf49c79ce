import type { Block } from '../tree.ts'
import { first, firstText, oneLine, shownFields, type Wire } from './fields.ts'
import { readInlines } from './inline.ts'
import { plainText } from './plain-text.ts'
import type { Reading } from './reading.ts'

/** The words of a picture's alternative text, mostly a string. */
export const readAlternative = (wire: Wire): string =>
  shownFields.alternative.map((name) => plainText(wire[name])).find((text) => text.trim() !== '') ?? ''

/** A picture with its address under `url` or `src`; without one, its words stay as a paragraph. */
export function readImage(wire: Wire, reading: Reading): Block[] {
  const url = firstText(wire, ['url', 'src'])?.trim()
  const alt = reading.alternativeText('alt', oneLine(readAlternative(wire)))
  const caption = readInlines(first(wire, ['caption']), reading)
  const imageType = firstText(wire, ['image_type', 'imageType'])
  const title = oneLine(plainText(wire.title))
  if (url === undefined) {
    reading.warn('image_without_url', 'a picture has no address; its text is kept')
    const texts = [...new Set([alt, title])].filter((text) => text !== '')
    const contents = [...texts.map((text) => readInlines(text, reading)), caption]
    return contents.filter((content) => content.length > 0).map((content) => ({ type: 'paragraph', content }))
  }
  return [
    {
      type: 'image',
      url: reading.file('url', url),
      alt,
      ...(imageType === undefined ? {} : { imageType: reading.line('image_type', imageType) }),
      ...(caption.length > 0 ? { caption } : {}),
      ...(title === '' ? {} : { title: reading.line('title', title) }),
    },
  ]
}
