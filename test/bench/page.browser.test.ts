import { expect, test } from 'vitest'
import { page } from '../../bench/page.ts'
import { withTestPostgres } from './postgres.ts'

test('a quick run of the benchmark page measures every figure', async () => {
  const { figures, conditions } = await withTestPostgres((postgres) => page.run('quick', postgres))
  expect(figures.map(({ figure }) => figure)).toContain('first view usable, nothing kept by the browser')
  for (const { figure, measured, baseline } of figures) {
    expect(measured, figure).toBeGreaterThan(0)
    expect(baseline, `baseline of ${figure}`).toBeGreaterThan(0)
  }
  expect(conditions.length).toBeGreaterThan(0)
}, 600_000)
