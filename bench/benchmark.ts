import type { Postgres } from './support/postgres.ts'

/** `quick` proves that a benchmark runs, in seconds; its figures mean nothing. */
export type Scale = 'full' | 'quick'

export const UNITS = {
  perSecond: '/s',
  milliseconds: 'ms',
  seconds: 's',
  kilobytes: 'KB',
  megabytes: 'MB',
  /** The figure says of what. */
  count: '',
} as const

/** What is wanted: of the ratio to the baseline, or of the measured value itself. */
export type Target = { ratio: 'at least' | 'at most'; limit: number } | { measured: 'below'; limit: number }

/** One line of the table. */
export interface Figure {
  /** What was measured, as `p99 at half the maximum rate`. */
  figure: string
  unit: keyof typeof UNITS
  measured: number
  /** In the same unit; null where there is nothing to compare with. */
  baseline: number | null
  /** Of measured to baseline, the median over the rounds where there were several; null without a baseline. */
  ratio: number | null
  target: Target | null
}

export interface Result {
  figures: Figure[]
  /** What a reader must know to repeat and to judge them, a sentence each. */
  conditions: string[]
}

export interface Benchmark {
  title: string
  /** What the baseline is. */
  baseline: string
  run(scale: Scale, postgres: Postgres): Promise<Result>
}
