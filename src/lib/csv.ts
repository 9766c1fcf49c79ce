/** Of each column of a CSV file, in order: its name and its value of an item. */
export type CsvColumns<Item> = Readonly<Record<string, (item: Item) => string | number | null | undefined>>

/** Columns that have the names and the values of members. */
export const memberColumns = <Item extends object>(...names: (keyof Item & string)[]): CsvColumns<Item> =>
  Object.fromEntries(names.map((name) => [name, (item: Item) => cellText(item[name])]))

/** A line as RFC 4180 has it. */
export const csvLine = (values: readonly (string | number | null | undefined)[]): string =>
  `${values.map(csvCell).join(',')}\r\n`

function csvCell(value: string | number | null | undefined): string {
  const text = typeof value === 'string' ? escapeFormulas(value) : String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A spreadsheet takes a text for a formula that begins so; with an apostrophe before it, it is a text. */
const FORMULA_START = /^(?='*[=+\-@\t\r\n＝＋－＠])/

/** Where it divides cells by semicolons or tabs, as in many countries, a text begins behind each, and in each line. */
const FORMULA_IN_CELL = /([;\t\r\n]"*)(?='*[=+\-@＝＋－＠])/g

export const escapeFormulas = (text: string): string =>
  text.replace(FORMULA_START, "'").replace(FORMULA_IN_CELL, "$1'")

/** The text that {@link escapeFormulas} was given. */
export const unescapeFormulas = (text: string): string =>
  text.replace(/([;\t\r\n]"*)'(?='*[=+\-@＝＋－＠])/g, '$1').replace(/^'(?='*[=+\-@\t\r\n＝＋－＠])/, '')

/** Without this mark Excel reads a CSV file in the character set of its machine: `Zürich` becomes `ZÃ¼rich`. */
export const UTF8_BOM = '\uFEFF'

/** A value of any shape as text for one cell: `site_ids: a, b; dry_run: true`. */
function cellText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '')
  if (Array.isArray(value)) return value.map(cellText).join(', ')
  return Object.entries(value)
    .map(([name, member]) => `${name}: ${cellText(member)}`)
    .join('; ')
}
