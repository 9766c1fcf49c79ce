import { expect, test } from 'vitest'
import { run } from '../../bench/delivery/index.ts'
import { asEditor } from '../../bench/delivery/wordpress.ts'
import { withPostgres } from '../../bench/support/postgres.ts'
import { findPosts, wordpress } from '../support/wordpress/index.ts'

test('a quick run of the benchmark delivery measures both sides and leaves nothing on the site', async () => {
  const site = asEditor(wordpress(), 'the one of this run')
  const { figures, conditions } = await withPostgres((postgres) => run('quick', postgres, site))
  expect(figures).toHaveLength(1)
  expect(figures[0]?.measured).toBeGreaterThan(0)
  expect(figures[0]?.baseline).toBeGreaterThan(0)
  expect(conditions.join()).toContain(
    'POST posts, GET categories, GET tags, GET posts/{post}, POST posts/{post}',
  )
  expect(await findPosts('search=Benchmark')).toEqual([])
}, 180_000)
