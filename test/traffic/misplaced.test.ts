import { describe, expect, it } from 'vitest'
import { areAnswersMisplaced } from '../../src/wordpress/traffic/batch-answers.ts'
import { type BatchMember, toBatchMember } from '../../src/wordpress/traffic/queued-request.ts'

const site = { name: 'fake.example', restRoot: 'http://fake/', username: 'author', applicationPassword: 'x' }

const member = (method: 'POST' | 'DELETE', path: string, data?: object): BatchMember => {
  const request = { method, path, data, doing: 'writing', subject: 'post' } as const
  return toBatchMember({ site, request }) as BatchMember
}
const answers = (...bodies: unknown[]) =>
  bodies.map((value) => ({
    status: 200,
    headers: {},
    body: Buffer.alloc(0),
    json: { found: true as const, value },
  }))

const tag = (name: string) => member('POST', '/wp/v2/tags', { name })
const edit = (id: number) => member('POST', `/wp/v2/posts/${id}`, { content: 'all' })
const draft = (slug: string) => member('POST', '/wp/v2/posts', { slug })

describe('answers of a batch', () => {
  const cases: [string, BatchMember[], unknown[], boolean][] = [
    ['of the posts asked for', [member('POST', '/wp/v2/posts/7', {})], [{ id: 7 }], false],
    ['of another post', [member('POST', '/wp/v2/posts/7', {})], [{ id: 8 }], true],
    ['of the post deleted', [member('DELETE', '/wp/v2/posts/7')], [{ previous: { id: 7 } }], false],
    ['of another one deleted', [member('DELETE', '/wp/v2/posts/7')], [{ previous: { id: 8 } }], true],
    [
      'with each one’s slug',
      [draft('a'), draft('b')],
      [
        { id: 1, slug: 'a' },
        { id: 2, slug: 'b' },
      ],
      false,
    ],
    [
      'with slugs changed',
      [draft('a'), draft('b')],
      [
        { id: 1, slug: 'a-2' },
        { id: 2, slug: 'x' },
      ],
      false,
    ],
    [
      'with another’s slug',
      [draft('a'), draft('b')],
      [
        { id: 1, slug: 'b' },
        { id: 2, slug: 'a' },
      ],
      true,
    ],
    ['of one post for two', [draft('a'), draft('b')], [{ id: 1 }, { id: 1 }], true],
    ['of one that is there, for a new one', [edit(7), draft('a')], [{ id: 7 }, { id: 7 }], true],
    ['of one that is there, for a new one before it', [draft('a'), edit(7)], [{ id: 7 }, { id: 7 }], true],
    ['of one that is there, and of a new one', [edit(7), draft('a')], [{ id: 7 }, { id: 8 }], false],
    [
      'with another’s name',
      [tag('A'), tag('B')],
      [
        { id: 1, name: 'B' },
        { id: 2, name: 'A' },
      ],
      true,
    ],
    [
      'with escaped names',
      [tag('A & B'), tag('C')],
      [
        { id: 1, name: 'A &amp; B' },
        { id: 2, name: 'C' },
      ],
      false,
    ],
    [
      'of a tag and a category with one id',
      [tag('A'), member('POST', '/wp/v2/categories', { name: 'A' })],
      [
        { id: 1, name: 'A' },
        { id: 1, name: 'A' },
      ],
      false,
    ],
  ]
  for (const [how, members, bodies, misplaced] of cases) {
    it(`${how} are ${misplaced ? 'seen to be misplaced' : 'each in its place'}`, () => {
      expect(areAnswersMisplaced(members, answers(...bodies))).toBe(misplaced)
    })
  }
})
