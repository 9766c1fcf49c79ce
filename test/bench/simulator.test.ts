import { expect, test } from 'vitest'
import { answerOf, type SimulatedPost } from '../../bench/support/simulator.ts'

const batch = (posts: Map<number, SimulatedPost>, ...requests: object[]) =>
  answerOf('POST', '/wp-json/batch/v1', { requests }, posts)

test('a simulated site answers each request of a batch as if it had come alone', () => {
  const posts = new Map<number, SimulatedPost>()
  const { status, json, filled } = batch(
    posts,
    { method: 'POST', path: '/wp/v2/posts?context=edit', body: { slug: 'galley-a', title: 'A' } },
    { method: 'POST', path: '/wp/v2/posts/99', body: { content: 'nobody’s' } },
  )
  expect({ status, filled }).toEqual({ status: 207, filled: [] })
  expect(json).toMatchObject({ responses: [{ status: 201, body: { id: 1 } }, { status: 404 }] })
  const fill = { method: 'POST', path: '/wp/v2/posts/1?context=edit', body: { content: 'text' } }
  expect(batch(posts, fill).filled).toEqual(['a'])
})
