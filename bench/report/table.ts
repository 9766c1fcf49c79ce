import { type Figure, type Target, UNITS } from '../benchmark.ts'

const HEADER = ['figure', 'measured', 'baseline', 'ratio', 'target', 'met'] as const

/** The figures as a table for the terminal. */
export function consoleTable(figures: readonly Figure[]): string {
  const rows = [HEADER, ...figures.map(cells)]
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => (row[column] as string).length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] as number))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** The figures as a table in Markdown. */
export function markdownTable(figures: readonly Figure[]): string {
  return [HEADER, HEADER.map(() => '---'), ...figures.map(cells)]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')
}

function cells({ figure, unit, measured, baseline, ratio, target }: Figure): string[] {
  return [
    figure,
    quantity(measured, unit),
    baseline === null ? '—' : quantity(baseline, unit),
    ratio === null ? '—' : ratio.toFixed(2),
    target === null ? '—' : inWords(target, unit),
    target === null ? '—' : isMet(target, measured, ratio) ? 'yes' : 'no',
  ]
}

/** Three digits say all that such a measurement can. */
const quantity = (value: number, unit: Figure['unit']): string =>
  `${value >= 100 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(3))} ${UNITS[unit]}`.trimEnd()

const inWords = (target: Target, unit: Figure['unit']): string =>
  'ratio' in target
    ? `ratio ${target.ratio} ${target.limit}`
    : `${target.measured} ${quantity(target.limit, unit)}`

function isMet(target: Target, measured: number, ratio: number | null): boolean {
  if ('measured' in target) return measured < target.limit
  if (ratio === null) throw new Error('A target for the ratio needs a baseline')
  return target.ratio === 'at least' ? ratio >= target.limit : ratio <= target.limit
}
