import { createRequire } from 'node:module'
import { excerpt } from '../../../text.ts'
import { createThread, type Thread } from '../../thread.ts'

/** A card to be set. */
export interface CardTask {
  text: string
  /** Pixels. */
  width: number
  height: number
}

/** A file of the typeface, for the letters of some scripts. */
export interface CardFont {
  name: string
  file: string
}

/** Inter for Latin, Greek and Cyrillic letters. The first one's measures are those of the lines. */
const subsets = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'greek-ext', 'vietnamese']

const TIMEOUT_MS = 30_000
const HEAP = 192

/** Characters of a text that a card has room for. */
const LONGEST_TEXT = 140

let thread: Thread<CardTask, string> | undefined

/** Sets a card in a thread of its own. @returns SVG, its letters as outlines */
export function setCard({ text, ...size }: CardTask, signal: AbortSignal): Promise<string> {
  thread ??= createThread('draw-card', { timeoutMs: TIMEOUT_MS, heapMb: HEAP, workerData: fonts() })
  return thread.ask({ ...size, text: excerpt(plain(text), LONGEST_TEXT) }, signal)
}

function fonts(): CardFont[] {
  const { resolve } = createRequire(import.meta.url)
  return subsets.map((subset) => ({
    name: `Inter ${subset}`,
    file: resolve(`@fontsource/inter/files/inter-${subset}-700-normal.woff`),
  }))
}

/** Without pictures among the letters, and what steers how text is shown. */
const plain = (text: string): string =>
  text
    .normalize('NFC')
    .replace(
      /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\p{Variation_Selector}|\p{C}/gu,
      ' ',
    )
    .split(/\s/u)
    .filter(Boolean)
    .join(' ')
