import { readFile, writeFile } from 'node:fs/promises'
import type { Benchmark, Result } from '../benchmark.ts'
import { machine } from './machine.ts'
import { markdownTable } from './table.ts'

const file = new URL('../../docs/benchmarks.md', import.meta.url)

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
