import { expect, test } from 'vitest'
import { run } from '../../bench/delivery/index.ts'
import { newestPost, removeMade, requireEachOnce, rest } from '../../bench/delivery/posts.ts'
import { asEditor } from '../../bench/delivery/processor.ts'
import { findMedia, findPosts, wordpress } from '../support/wordpress/index.ts'
import { withTestPostgres } from './postgres.ts'

test('a quick run of the benchmark delivery measures every figure and leaves nothing on the site', async () => {
  const site = asEditor(wordpress(), 'the one of this run')
  // What a run left that was killed is not of this one.
  const before = await left()
  const { figures, conditions } = await withTestPostgres((postgres) => run('quick', postgres, site))
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
  expect(await left()).toEqual(before)
}, 300_000)

const left = async () =>
  [...(await findPosts('search=Benchmark')), ...(await findMedia('search=benchmark'))].map(({ id }) => id)

test('a document with two posts, one with none, and a post of nobody are told apart', async () => {
  const site = asEditor(wordpress(), 'the one of this run')
  const above = await newestPost(site)
  const post = (id: string) =>
    rest(site, 'POST', '/wp/v2/posts', { title: `Benchmark ${id}`, status: 'draft' })
  try {
    await post('once')
    await requireEachOnce(site, above, ['once'])
    await expect(requireEachOnce(site, above, ['once', 'missing'])).rejects.toThrow('1 have no post')
    await expect(requireEachOnce(site, above, [])).rejects.toThrow('1 nobody’s')
    await post('once')
    await expect(requireEachOnce(site, above, ['once'])).rejects.toThrow('1 posts are doubled')
  } finally {
    await removeMade(site, above)
  }
  expect(await newestPost(site)).toBe(above)
})
