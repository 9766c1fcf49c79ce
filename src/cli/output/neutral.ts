/** Characters that move the cursor, colour, ring, hide or turn round what stands after them; and half a pair. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** Lines and tabs; and what joins letters and pictures into one and shows nothing itself: emoji and several scripts need it. */
const harmless = new Set(['\n', '\t', '\u200c', '\u200d'])

/**
 * Text from outside, for a terminal: a title may hold what would clear the screen, write over lines above, or open an
 * address. Such characters are written as what they are, `\u{1b}`.
 *
 * @param text of several lines, where it may have them
 */
export const neutral = (text: string): string =>
  text.replace(unprintable, (character) => (harmless.has(character) ? character : codeOf(character)))

/**
 * Text that comes in pieces, such as a file of CSV, whose lines end as it wants them to.
 *
 * @returns of each piece, and of the end, what to write
 */
export function neutralPieces(): (piece: string, isLast?: boolean) => string {
  let before = ''
  return (piece, isLast = false) => {
    // A byte order mark is for the programs that read a file.
    const text = before + piece.replace(/^\uFEFF/, '')
    // The rest of a line's end may be in the next one.
    before = !isLast && text.endsWith('\r') ? '\r' : ''
    return neutral(text.slice(0, text.length - before.length).replaceAll('\r\n', '\n'))
  }
}

/** A value as JSON that does nothing to a terminal either: what would is escaped, and read back as it was. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(unprintable, (character) =>
    harmless.has(character) ? character : character.split('').map(escapeOf).join(''),
  )

const escapeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** The same in one line, for a cell of a table. */
export const neutralLine = (text: string): string => neutral(text.replace(/\s+/g, ' ').trim())

const codeOf = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`
