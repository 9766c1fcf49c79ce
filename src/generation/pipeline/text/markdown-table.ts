/** Whether a line is what divides the head of a Markdown table from its rows: `|---|:-:|`. */
export const isDelimiter = (line: string): boolean =>
  /^[\s|:-]+$/.test(line) && /-/.test(line) && /\|/.test(line)

/** Whether a table begins at this line: with its head, or with two lines in bars. */
export function isTableAt(lines: readonly string[], at: number): boolean {
  const [line = '', next = ''] = lines.slice(at, at + 2)
  if (!line.includes('|')) return false
  return isDelimiter(next) || (line.trim().startsWith('|') && next.trim().startsWith('|'))
}

/** Stands for a bar that is part of a cell. */
const BAR = '\ue10a'

/** The cells of a line, without the bars around it; a bar behind a backslash is part of a cell. */
export const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replaceAll('\\|', BAR)
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split('|')
    .map((cell) => cell.trim().replaceAll(BAR, '|'))
