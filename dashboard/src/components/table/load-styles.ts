import { isRTL } from '@wordpress/i18n'
import { loadLanguage } from '../../i18n.ts'

let asked: Promise<unknown> | undefined

/**
 * The style sheets of a table. The packages have one for each direction, and ours comes after theirs; which it is, is known when the
 * language is there. What failed stays failed: a browser would not ask for the style sheet again, and show the table without it.
 */
export function loadStyles(): Promise<unknown> {
  // Without its language the page is shown in English.
  asked ??= loadLanguage()
    .catch(() => undefined)
    .then(() => (isRTL() ? import('./styles-rtl.ts') : import('./styles-ltr.ts')))
  return asked
}

/** A page with a table in it: its style sheets are loaded beside its scripts, and not after them. */
export function withTable<Page>(load: () => Promise<Page>): () => Promise<Page> {
  return () => {
    // The table waits for them, and says why it cannot be shown.
    loadStyles().catch(() => undefined)
    return load()
  }
}
