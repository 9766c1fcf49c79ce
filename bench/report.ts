import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { type Benchmark, type Figure, type Result, type Target, UNITS } from './benchmark.ts'

const file = new URL('../docs/benchmarks.md', import.meta.url)

/** Writes a benchmark's figures into its section of docs/benchmarks.md. */
export async function saveSection(name: string, { baseline }: Benchmark, result: Result): Promise<void> {
  const section = [
    `\`npm run bench -- ${name}\` on ${machine()}; the baseline is ${baseline}.`,
    markdownTable(result.figures),
    result.conditions.map((condition) => `- ${condition}`).join('\n'),
  ].join('\n\n')
  await writeFile(file, replaceSection(await readFile(file, 'utf8'), name, section))
}

/**
 * Replaces what stands between a benchmark's two marks, `<!-- bench:NAME -->` and `<!-- /bench:NAME -->`. What
 * people wrote around them stays.
 */
export function replaceSection(text: string, name: string, section: string): string {
  const [begin, end] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no section between ${begin} and ${end}`)
  return `${text.slice(0, from + begin.length)}\n${section}\n${text.slice(to)}`
}

/** The machine in a line, without its name: `2 cores, 24 GB, Linux x64, Node 20.20.2`. */
export function machine(): string {
  const gigabytes = Math.round(totalmem() / 1024 ** 3)
  const system = process.platform[0]?.toUpperCase() + process.platform.slice(1)
  return `${availableParallelism()} cores, ${gigabytes} GB, ${system} ${process.arch}, Node ${process.versions.node}`
}

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
