import { describe, expect, test } from 'vitest'
import type { Snapshot } from '../../src/delivery/ledger/state.ts'
import {
  changedTermsAndImage,
  isRenamed,
  isSameMember,
  mergeSnapshot,
  sharesNoLine,
  snapshotOf,
  snapshotUnacknowledged,
} from '../../src/delivery/post-snapshot.ts'
import type { PostRecord } from '../../src/wordpress/types.ts'

const post = (fields: Partial<PostRecord> = {}): PostRecord => ({
  id: 1,
  status: 'draft',
  movedOn: false,
  slug: 'one',
  link: '',
  title: 'One',
  content: '',
  excerpt: '',
  lacks: [],
  addressPrefix: '/',
  emptyFields: [],
  byline: null,
  author: 1,
  categories: [1],
  tags: [],
  featuredMedia: 0,
  modifiedGmt: '',
  hasPassword: false,
  meta: {},
  members: {},
  footnotes: null,
  actions: [],
  ...fields,
})
const text = (...lines: string[]) => ({ content: lines.map((line) => `<p>${line}</p>`).join('\n\n') })
const long = 'A paragraph of more than forty characters, as most are.'

describe('nothing is left', () => {
  test.each<[string, string[], string[], boolean]>([
    ['of a reserve', [], ['Mine.'], true],
    [
      'where a heading is all that two posts share',
      ['Conclusion', long, 'Short.'],
      ['Conclusion', 'Mine.'],
      true,
    ],
    ['unless a whole paragraph stands', ['Conclusion', long, 'Short.'], ['Mine.', long], false],
    ['unless half of the lines stand', ['One.', 'Two.', long], ['One.', 'Two.', `${long} Mended.`], false],
    [
      'unless its short lines stand beside a long one of somebody else',
      ['One.', 'Two.'],
      ['One.', 'Two.', long],
      false,
    ],
  ])('%s', (_, was, is, expected) => {
    expect(sharesNoLine(snapshotOf(post(text(...was))), post(text(...is)))).toBe(expected)
  })
})

test('a post is renamed where neither title nor address stands; an address that was never given tells nothing', () => {
  const [given, none] = [snapshotOf(post()), snapshotOf(post({ slug: '' }))]
  expect([
    isRenamed(given, post({ title: 'Two' })),
    isRenamed(given, post({ title: 'Two', slug: 'two' })),
    isRenamed(none, post({ slug: 'two' })),
    isRenamed(none, post({ title: 'Two' })),
  ]).toEqual([false, true, false, true])
})

test('a scheduled post that WordPress publishes is still as Galley left it', () => {
  const left = snapshotOf(post({ status: 'future' }))
  const published = post({ status: 'publish' })
  expect(mergeSnapshot(left, { sent: {}, before: published, post: published }).status).toBe('publish')
  const withdrawn = post({ status: 'draft' })
  expect(mergeSnapshot(left, { sent: {}, before: withdrawn, post: withdrawn }).status).toBeNull()
})

describe('of a fill that nobody heard of', () => {
  const left: Snapshot = { ...snapshotOf(post()), asked: { status: 'publish', tags: [7] } }

  test('what was asked and stands is ours', () => {
    const found = snapshotUnacknowledged(left, post({ tags: [7] }), { text: false, first: false })
    expect(found).toEqual({ ...snapshotOf(post()), tags: [7] })
  })

  test('nothing is, where nothing of it stands', () => {
    expect(snapshotUnacknowledged(left, post({ tags: [8] }), { text: false, first: false })).toBeNull()
  })

  test.each([
    [true, [7, 8]],
    [false, []],
  ])('other terms than were asked are ours with the text of the first version alone (%s)', (first, tags) => {
    const stood = post({ ...text(long), tags: [7, 8] })
    expect(snapshotUnacknowledged(left, stood, { text: true, first })).toMatchObject({ ...text(long), tags })
  })
})

test.each<[string, number[], boolean]>([
  ['as they were left', [1], false],
  ['as WordPress has them while it adds what was asked', [1, 7], false],
  ['as they were asked for', [7, 8], false],
  ['with another one', [1, 7, 9], true],
  ['without the one that was left', [7], true],
])('categories %s: somebody’s change: %j %j', (_, categories, isTheirs) => {
  const changes = changedTermsAndImage(snapshotOf(post()), post({ categories }), { categories: [7, 8] })
  expect(changes).toHaveLength(isTheirs ? 1 : 0)
})

describe('sticky', () => {
  const left = { ...snapshotOf(post({ modifiedGmt: '2026-01-31T09:30:00' })), members: { sticky: true } }
  const found = (modifiedGmt: string) =>
    changedTermsAndImage(left, post({ modifiedGmt, members: { sticky: false } }), {
      members: { sticky: true },
    })

  test('is somebody’s change where the post was saved since', () => {
    expect(found('2026-01-31T10:00:00')).toEqual([{ field: 'sticky', galley: 'true', site: 'false' }])
  })
  test('was lost to another post where nobody has saved this one', () => {
    expect(found('2026-01-31T09:30:00')).toEqual([])
  })
})

test.each([
  [[12, 7], ['7', '12'], true],
  [[{ name: 'Ebb' }], [{ name: 'Flood' }], false],
  [[{ toString: null }], [{ toString: null }], true],
  [{ toString: null }, 'x', false],
  [3, '3', true],
])('of a custom field, %j and %j are the same: %j', (asked, stands, isSame) =>
  expect(isSameMember('meta.x', asked, stands)).toBe(isSame),
)
