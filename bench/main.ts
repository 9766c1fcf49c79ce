import { parseArgs } from 'node:util'
import type { Benchmark } from './benchmark.ts'
import { type BenchmarkName, benchmarks, isBenchmarkName } from './benchmarks.ts'
import { consoleTable, saveSection } from './report.ts'
import { withPostgres } from './support/postgres.ts'

const usage = `npm run bench -- [NAME…] [--quick] [--save]

  NAME     ${Object.keys(benchmarks).join(', ')}; all of them where none is given
  --quick  proves that they run, in seconds; the figures mean nothing
  --save   also writes the figures into docs/benchmarks.md`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const unknown = positionals.filter((name) => !isBenchmarkName(name))
if (unknown.length > 0) throw new Error(`There is no benchmark ${unknown.join(', ')}.\n\n${usage}`)
if (values.quick && values.save) throw new Error('Figures of a quick run mean nothing and are not saved.')

if (values.help) console.log(usage)
else await runAll(positionals.length > 0 ? positionals.filter(isBenchmarkName) : undefined)

async function runAll(names = Object.keys(benchmarks) as BenchmarkName[]): Promise<void> {
  for (const name of names) {
    const benchmark: Benchmark = benchmarks[name]
    const result = await withPostgres((postgres) => benchmark.run(values.quick ? 'quick' : 'full', postgres))
    console.log(`\n${benchmark.title}, beside ${benchmark.baseline}\n`)
    console.log(consoleTable(result.figures))
    for (const condition of result.conditions) console.log(`- ${condition}`)
    if (values.save) await saveSection(name, benchmark, result)
  }
}
