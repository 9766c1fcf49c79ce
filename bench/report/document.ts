import { readFile, writeFile } from 'node:fs/promises'
import type { Benchmark, Result } from '../benchmark.ts'
import { machine } from './machine.ts'
import { markdownTable } from './table.ts'

const file = new URL('../../docs/benchmarks.md', import.meta.url)

/**
 * Rewrites what stands between a benchmark's two marks in docs/benchmarks.md, `<!-- bench:NAME -->` and
 * `<!-- /bench:NAME -->`. What people wrote around them stays.
 */
export async function saveSection(name: string, { baseline }: Benchmark, result: Result): Promise<void> {
  const [begin, end] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`]
  const text = await readFile(file, 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no section between ${begin} and ${end}`)
  const section = [
    `\`npm run bench -- ${name}\` on ${machine()}; the baseline is ${baseline}.`,
    markdownTable(result.figures),
    result.conditions.map((condition) => `- ${condition}`).join('\n'),
  ].join('\n\n')
  await writeFile(file, `${text.slice(0, from + begin.length)}\n${section}\n${text.slice(to)}`)
}
