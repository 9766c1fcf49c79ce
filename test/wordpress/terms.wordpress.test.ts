import { afterAll, describe, expect, it } from 'vitest'
import type { Taxonomy, TermRequest } from '../../src/wordpress/terms/find-or-create.ts'
import { resolveTerms } from '../../src/wordpress/terms/resolve.ts'
import { clientAs, type Role, unique } from './site.ts'

const made: { taxonomy: Taxonomy; id: number }[] = []

const request = (taxonomy: Taxonomy, id: number) =>
  ({ path: `/wp/v2/${taxonomy}/${id}`, doing: 'testing', subject: 'term' }) as const

async function resolve(role: Role, asked: Partial<TermRequest> & { names: string[] }) {
  const taxonomy = (asked.taxonomy ?? 'categories') as Taxonomy
  const result = await resolveTerms(clientAs(role), { taxonomy, policy: 'create', ...asked })
  made.push(...result.ids.filter((id) => id !== 1).map((id) => ({ taxonomy, id })))
  return result
}

afterAll(async () => {
  const client = clientAs('administrator')
  for (const { taxonomy, id } of made.reverse()) {
    await client
      .request({ ...request(taxonomy, id), method: 'DELETE', query: { force: true } })
      .catch((error) => expect(error.code).toBe('term_gone'))
  }
})

describe('resolving terms', () => {
  for (const taxonomy of ['categories', 'tags'] as const) {
    it(`makes what is missing in ${taxonomy}, and finds it the next time`, async () => {
      const names = [unique('Boats'), unique('Harbours')]
      const first = await resolve('editor', { taxonomy, names })
      expect(first).toMatchObject({ ids: [expect.any(Number), expect.any(Number)], warnings: [] })
      expect(await resolve('editor', { taxonomy, names })).toEqual(first)
    })
  }

  it('knows a name that WordPress answers escaped', async () => {
    const names = [`${unique('Tea')} & co "x" 'y' <3`]
    const first = await resolve('editor', { names })
    expect(await resolve('editor', { names, policy: 'existing_only' })).toEqual(first)
  })

  it('does not care for letter case and spaces', async () => {
    const name = unique('Noir et blanc')
    const first = await resolve('editor', { names: [name] })
    const names = [`  ${name.toUpperCase().replace(' ', '   ')}`]
    expect(await resolve('editor', { names, policy: 'existing_only' })).toEqual({
      ids: first.ids,
      warnings: [],
    })
  })

  it('tells accents apart, as WordPress does', async () => {
    const name = unique('Café')
    const { ids } = await resolve('editor', { names: [name, name.replace('é', 'e')] })
    expect(new Set(ids).size).toBe(2)
  })

  it('knows a name whose accents are characters of their own, as some systems write them', async () => {
    for (const [here, there] of [
      ['NFC', 'NFD'],
      ['NFD', 'NFC'],
    ] as const) {
      const name = unique('Bücher')
      const { ids } = await resolve('editor', { names: [name.normalize(here), name.normalize(there)] })
      expect(ids).toHaveLength(1)
    }
  })

  it('knows one that stands there with such accents', async () => {
    const name = unique('Bücher')
    const { data } = await clientAs('editor').request({
      method: 'POST',
      path: '/wp/v2/categories',
      data: { name: name.normalize('NFD') },
      doing: 'testing',
      subject: 'term',
    })
    const { id } = data as { id: number }
    made.push({ taxonomy: 'categories', id })
    expect(await resolve('editor', { names: [name] })).toMatchObject({ ids: [id] })
  })

  it('takes only the exact name out of a fuzzy search', async () => {
    const name = unique('Sea')
    await resolve('editor', { names: [`${name} and more`, `The ${name}`] })
    const found = await resolve('editor', { names: [name], policy: 'existing_only' })
    expect(found).toMatchObject({ ids: [], warnings: [{ code: 'term_missing' }] })
  })

  it('walks a path from parent to child and makes what is missing of it', async () => {
    const [parent, child] = [unique('News'), unique('Local')]
    const { ids } = await resolve('editor', { names: [`${parent} > ${child}`] })
    const { ids: parents } = await resolve('editor', { names: [parent], policy: 'existing_only' })
    const { data } = await clientAs('editor').request(request('categories', ids[0] ?? 0))
    expect(data).toMatchObject({ name: child, parent: parents[0] })
  })

  it('keeps two categories of one name under two parents apart', async () => {
    const [a, b, child] = [unique('News'), unique('Sport'), unique('Local')]
    const { ids } = await resolve('editor', { names: [`${a} > ${child}`, `${b} > ${child}`] })
    // Made on the way, and to be removed as well.
    await resolve('editor', { names: [a, b] })
    expect(new Set(ids).size).toBe(2)
    expect((await resolve('editor', { names: [`${b} > ${child}`] })).ids).toEqual([ids[1]])
  })

  it('says which of two categories of one name it took, and how to name the other', async () => {
    const [name, first, second] = [unique('Berlin'), unique('Germany'), unique('Maryland')]
    const older = await resolve('editor', { names: [`${first} > ${name}`] })
    const newer = await resolve('editor', { names: [`${second} > ${name}`] })
    const { ids: taken, warnings } = await resolve('editor', { names: [name] })
    expect(taken).toEqual(older.ids)
    expect(warnings).toMatchObject([{ code: 'category_ambiguous' }])
    expect(warnings[0]?.message).toContain(`“${first} > ${name}” was used, and not “${second} > ${name}”`)
    const aliases = { [name]: `${second} > ${name}` }
    expect(await resolve('editor', { names: [name], aliases })).toMatchObject({
      ids: newer.ids,
      warnings: [],
    })
  })

  it('goes by the aliases of the site', async () => {
    const name = unique('Artificial intelligence')
    const first = await resolve('editor', { names: [name] })
    expect(await resolve('editor', { names: ['ai', 'AI '], aliases: { AI: name } })).toEqual(first)
  })

  it('leaves a missing term out with a warning where the site makes none', async () => {
    const names = [unique('Nowhere')]
    const result = await resolve('editor', { names, policy: 'existing_only' })
    expect(result.ids).toEqual([])
    expect(result.warnings.map(({ code }) => code)).toEqual(['term_missing'])
  })

  it('refuses the document where the site refuses unknown terms', async () => {
    const names = [unique('Nowhere')]
    await expect(resolve('editor', { names, policy: 'reject' })).rejects.toMatchObject({
      code: 'term_rejected',
      action: 'owner',
      message: expect.stringContaining(names[0] ?? ''),
    })
  })

  for (const role of ['author', 'contributor'] as const) {
    it(`makes no category for ${role}, who may make none, and says so`, async () => {
      const result = await resolve(role, { names: [unique('Mine')] })
      expect(result.ids).toEqual([])
      expect(result.warnings[0]).toMatchObject({
        code: 'term_not_created',
        message: expect.stringContaining('not allowed to create categories'),
      })
    })
  }

  it('adopts the term that WordPress says exists', async () => {
    // WordPress strips the tag before it compares, so no search of ours can find the name as it was given.
    const name = unique('Boats')
    const first = await resolve('editor', { taxonomy: 'tags', names: [name] })
    expect(await resolve('editor', { taxonomy: 'tags', names: [`${name} <b>`] })).toEqual(first)
  })

  it.each([
    'A\u0001B',
    'a > a >',
    'AT&amp;amp;T',
    '50%20off',
    '<a href="x">a link</a>',
    'a < b',
    '&#128512;',
    '"it\\\\\'s"',
    '\u200bx\u202ey',
    '\ufeff👩‍👩‍👧',
  ])('makes %j, whatever WordPress makes of it, and knows it again', async (odd) => {
    // Of the two, only categories have parents.
    for (const taxonomy of odd.includes('>') ? (['categories', 'tags'] as const) : (['tags'] as const)) {
      const names = [`${unique('Odd')} ${odd}`]
      const first = await resolve('editor', { taxonomy, names })
      expect(first).toEqual({ ids: expect.any(Array), warnings: [] })
      expect(first.ids.length).toBeGreaterThan(0)
      expect(await resolve('editor', { taxonomy, names })).toEqual(first)
    }
  })

  it('knows “AT&T” by the name that some senders give it, without making any', async () => {
    const name = unique('AT&T')
    const first = await resolve('editor', { names: [name] })
    for (const escaped of ['&amp;', '&amp;amp;'])
      expect(
        await resolve('editor', { names: [name.replace('&', escaped)], policy: 'existing_only' }),
      ).toEqual(first)
  })

  it('makes, and calls, one as people read it, whatever the sender escaped', async () => {
    const name = unique('R&D')
    const escaped = name.replace('&', '&amp;amp;')
    expect(await resolve('editor', { names: [escaped], policy: 'existing_only' })).toMatchObject({
      warnings: [{ message: expect.stringContaining(`“${name}”`) }],
    })
    const { ids } = await resolve('editor', { names: [escaped] })
    const { data } = await clientAs('editor').request(request('categories', ids[0] as number))
    expect(data).toMatchObject({ name: name.replace('&', '&amp;') })
  })

  it('ignores empty names', async () => {
    expect(await resolve('editor', { names: ['', '  ', ' > '] })).toEqual({ ids: [], warnings: [] })
  })
})
