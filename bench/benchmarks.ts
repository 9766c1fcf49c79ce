import type { Benchmark } from './benchmark.ts'
import { cost } from './cost.ts'
import { delivery } from './delivery/index.ts'
import { fairness } from './fairness.ts'
import { generation } from './generation/index.ts'
import { growth } from './growth.ts'
import { intake } from './intake/index.ts'
import { page } from './page.ts'
import { sites } from './sites.ts'
import { size } from './size/index.ts'

/** Every benchmark by the name that the command takes, in the order in which they run. */
export const benchmarks = {
  intake,
  delivery,
  fairness,
  sites,
  growth,
  cost,
  generation,
  size,
  page,
} satisfies Record<string, Benchmark>

export type BenchmarkName = keyof typeof benchmarks

export const isBenchmarkName = (name: string): name is BenchmarkName => Object.hasOwn(benchmarks, name)
