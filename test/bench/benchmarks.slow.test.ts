import { describe, expect, test } from 'vitest'
import type { Benchmark } from '../../bench/benchmark.ts'
import { benchmarks } from '../../bench/benchmarks.ts'
import { withTestPostgres } from './postgres.ts'

// What needs more than a database has a test of its own: a WordPress, or a Chromium.
const { delivery: _onWordPress, page: _inBrowser, ...withDatabase } = benchmarks

describe('a quick run of the benchmark', () => {
  test.each(Object.entries<Benchmark>(withDatabase))(
    '%s measures every figure',
    async (_name, benchmark) => {
      const { figures, conditions } = await withTestPostgres((postgres) => benchmark.run('quick', postgres))
      expect(figures.length).toBeGreaterThan(0)
      for (const { figure, measured, baseline } of figures) {
        expect(measured, figure).toBeGreaterThanOrEqual(0)
        if (baseline !== null) expect(baseline, `baseline of ${figure}`).toBeGreaterThan(0)
      }
      expect(conditions.length).toBeGreaterThan(0)
    },
    600_000,
  )
})
