import { expect, test } from 'vitest'
import { run } from '../../bench/delivery/index.ts'
import { asEditor } from '../../bench/delivery/wordpress.ts'
import { withPostgres } from '../../bench/support/postgres.ts'
import { findMedia, findPosts, wordpress } from '../support/wordpress/index.ts'

test('a quick run of the benchmark delivery measures every figure and leaves nothing on the site', async () => {
  const site = asEditor(wordpress(), 'the one of this run')
  const { figures, conditions } = await withPostgres((postgres) => run('quick', postgres, site))
  const named = figures.map(({ figure }) => figure)
  expect(named).toEqual(
    expect.arrayContaining([
      'backlog without pictures',
      'backlog with a picture each',
      '12.5 % of the requests fail',
      'one document, webhook to filled post',
      'requests to a dead site in an hour',
    ]),
  )
  // Processor time is counted in hundredths of a second, and so few posts may take none.
  for (const { figure, measured, baseline } of figures.filter((one) => !one.figure.startsWith('processor'))) {
    expect(measured, figure).toBeGreaterThan(0)
    if (baseline !== null) expect(baseline, `baseline of ${figure}`).toBeGreaterThan(0)
  }
  expect(conditions.length).toBeGreaterThan(0)
  expect(await findPosts('search=Benchmark')).toEqual([])
  expect(await findMedia('search=benchmark')).toEqual([])
}, 300_000)
