import { decodeHTMLStrict } from 'entities'
import { trimOf } from './text.ts'

/**
 * A title or a sender's slug as WordPress is asked for it. WordPress finishes it (`sanitize_title`): it transliterates letters by
 * the site's language, encodes other scripts, and keeps 200 bytes. Markup goes here: WordPress drops all from a bare `&` to `;`.
 */
export const slugText = (text: string): string => {
  const plain = decodeHTMLStrict(decodedSlug(text))
    .normalize('NFC')
    .replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
    .replace(/[\s./]+/g, '-')
    .replace(/[^\w\u0080-\u{10ffff}-]+/gu, '')
    .replace(/-+/g, '-')
  return trimOf(plain, '-')
}

/** A slug or an address with the letters that stand in it percent-encoded. */
export function decodedSlug(slug: string): string {
  try {
    return decodeURIComponent(slug)
  } catch {
    return slug
  }
}
