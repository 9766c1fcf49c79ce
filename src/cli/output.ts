export interface Column<Row> {
  head: string
  value(row: Row): string | number | null | undefined
  /** It is never cut: an id is of no use in parts. */
  whole?: boolean
}

const GAP = 2
const MIN_COLUMN_WIDTH = 6

/** Rows as a table in plain text, harmless to a terminal. @param columns undefined cuts nothing */
export function table<Row>(rows: readonly Row[], shape: readonly Column<Row>[], columns: number | undefined) {
  const cells = rows.map((row) => shape.map(({ value }) => escapeLine(String(value(row) ?? ''))))
  const wanted = shape.map(({ head }, n) =>
    cells.reduce((widest, row) => Math.max(widest, displayWidth(row[n] ?? '')), displayWidth(head)),
  )
  const widths = columns === undefined ? wanted : fitWidths(wanted, shape, columns)
  const line = (texts: string[]) =>
    texts
      .map((text, n) => padToWidth(truncateToWidth(text, widths[n] ?? 0), widths[n] ?? 0))
      .join(' '.repeat(GAP))
      .trimEnd()
  return [line(shape.map(({ head }) => head)), ...cells.map(line)].map((text) => `${text}\n`).join('')
}

/** Takes from the widest that may be cut, place by place, until all fit or nothing is left to take. */
function fitWidths<Row>(wanted: number[], shape: readonly Column<Row>[], columns: number): number[] {
  const widths = [...wanted]
  const total = () => widths.reduce((sum, places) => sum + places, GAP * (widths.length - 1))
  for (let over = total() - columns; over > 0; over -= 1) {
    const [widest] = widths
      .map((places, n) => ({ places, n }))
      .filter(({ n }) => shape[n]?.whole !== true)
      .sort((a, b) => b.places - a.places)
    if (widest === undefined || widest.places <= MIN_COLUMN_WIDTH) break
    widths[widest.n] = widest.places - 1
  }
  return widths
}

/** One thing, a fact a line. What is null or empty is left out. */
export function factList(
  pairs: readonly (readonly [name: string, value: string | number | null | undefined])[],
): string {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '')
  const widest = Math.max(...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `${name.padEnd(widest)}  ${escapeLine(String(value))}\n`).join('')
}

const segmenter = new Intl.Segmenter('en')

/** Takes two places: Chinese, Japanese, Korean, their wide punctuation, and emoji. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

/** Takes none by itself. */
const ZERO_WIDTH = /^(?:\p{M}|\u200c|\u200d)+$/u

const characterWidth = (character: string): number =>
  ZERO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1

export function displayWidth(text: string): number {
  let places = 0
  for (const { segment } of segmenter.segment(text)) places += characterWidth(segment)
  return places
}

/** As much of a text as fits, with `…` where something is left out. Never half a character. */
export function truncateToWidth(text: string, places: number): string {
  if (displayWidth(text) <= places) return text
  let taken = ''
  let left = places - 1
  for (const { segment } of segmenter.segment(text)) {
    left -= characterWidth(segment)
    if (left < 0) break
    taken += segment
  }
  return `${taken}…`
}

const padToWidth = (text: string, places: number): string =>
  text + ' '.repeat(Math.max(0, places - displayWidth(text)))

/** Characters that move the cursor, colour, ring, hide or turn round what stands after them; and half a pair. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** Lines and tabs; and what joins letters and pictures into one and shows nothing itself: emoji and several scripts need it. */
const ALLOWED = new Set(['\n', '\t', '\u200c', '\u200d'])

/** Text from outside, for a terminal: what would clear the screen or open an address is written as `\u{1b}`. */
export const escapeControls = (text: string): string =>
  text.replace(UNPRINTABLE, (character) => (ALLOWED.has(character) ? character : controlEscape(character)))

/** A piece of a file for a terminal: its lines may end as CSV's do, and a byte order mark is for programs. */
export const escapePiece = (piece: string): string =>
  escapeControls(piece.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'))

/** A value as JSON that does nothing to a terminal either: what would is escaped, and read back as it was. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(UNPRINTABLE, (character) =>
    ALLOWED.has(character) ? character : character.split('').map(unicodeEscape).join(''),
  )

const unicodeEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

export const escapeLine = (text: string): string => escapeControls(text.replace(/\s+/g, ' ').trim())

const controlEscape = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`
