import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { WordPressClient } from '../../src/wordpress/client/client.ts'
import { createTerm, type TermRequest } from '../../src/wordpress/terms/find-or-create.ts'
import { resolveTerms } from '../../src/wordpress/terms/resolve.ts'
import { createSiteTraffic } from '../../src/wordpress/traffic/site-traffic.ts'
import { alter, type FaultProxy, startFaultProxy } from '../support/proxy/index.ts'
import { type RestItem, rest } from '../support/wordpress/index.ts'
import { clientAs, unique, wordpress } from './site.ts'

let proxy: FaultProxy
let client: WordPressClient
const made = new Set<string>()

beforeEach(async () => {
  proxy = await startFaultProxy(wordpress().url)
  const traffic = createSiteTraffic({ concurrency: 4, batch: 'auto' })
  client = clientAs('editor', { restRoot: `${proxy.url}/wp-json/`, traffic })
})

afterEach(async () => {
  await proxy.close()
  for (const path of made) await remove(path)
  made.clear()
})

const remove = (path: string) => rest('administrator', 'DELETE', `${path}?force=true`).catch(() => undefined)

async function resolve(names: string[], asked: Partial<TermRequest> = {}) {
  const taxonomy = asked.taxonomy ?? 'tags'
  const result = await resolveTerms(client, { taxonomy, policy: 'create', names, ...asked })
  for (const id of result.ids) made.add(`/wp/v2/${taxonomy}/${id}`)
  return result
}

/** What was sent about terms, be it in a batch. */
const sent = (): string[] =>
  proxy.requests.filter(({ method }) => method !== 'OPTIONS').map(({ method, path }) => `${method} ${path}`)

const nameOf = async (id: number | undefined): Promise<unknown> =>
  (await rest<{ name: string }>('administrator', 'GET', `/wp/v2/tags/${id}`)).name

describe('the terms of a site', () => {
  it('are looked up once, whether they were there or had to be made', async () => {
    const names = [unique('Boats')]
    const first = await resolve(names)
    expect(first).toEqual({ ids: [expect.any(Number)], warnings: [] })
    const asked = sent()
    expect(asked).toEqual(['GET /wp/v2/tags', 'POST /wp/v2/tags'])
    expect(await resolve(names)).toEqual({ ...first, remembered: first.ids })
    expect(sent()).toEqual(asked)
  })

  it('are looked up once by all who ask meanwhile, and made once', async () => {
    const names = [unique('Boats')]
    const results = await Promise.all([resolve(names), resolve(names), resolve(names)])
    expect(new Set(results.flatMap(({ ids }) => ids)).size).toBe(1)
    expect(sent()).toEqual(['GET /wp/v2/tags', 'POST /wp/v2/tags'])
  })

  it('are made together where several are missing', async () => {
    const { ids } = await resolve([unique('Boats'), unique('Harbours'), unique('Tides')])
    expect(new Set(ids).size).toBe(3)
    expect(sent().filter((request) => request.startsWith('POST'))).toEqual(['POST /batch/v1'])
  })

  it('share a parent that is missing: it is made once', async () => {
    const parent = unique('News')
    const names = [`${parent} > Local`, `${parent} > World`]
    const { ids } = await resolve(names, { taxonomy: 'categories' })
    const { ids: parents } = await resolve([parent], { taxonomy: 'categories', policy: 'existing_only' })
    const children = await Promise.all(
      ids.map((id) => rest<{ parent: number }>('administrator', 'GET', `/wp/v2/categories/${id}`)),
    )
    expect(children.map((child) => child.parent)).toEqual([parents[0], parents[0]])
  })

  it.each(['create', 'existing_only'] as const)(
    'are found below a parent that was deleted and made again meanwhile, where the policy is %s',
    async (policy) => {
      const [parent, child] = [unique('News'), unique('Local')]
      const taxonomy = 'categories'
      const { ids } = await resolve([`${parent} > ${unique('World')}`], { taxonomy })
      const { parent: before } = await rest<{ parent: number }>(
        'editor',
        'GET',
        `/wp/v2/categories/${ids[0]}`,
      )
      await remove(`/wp/v2/categories/${before}`)
      const make = async (term: object) => {
        const { id } = await rest<RestItem>('editor', 'POST', '/wp/v2/categories', term)
        made.add(`/wp/v2/categories/${id}`)
        return id
      }
      const anew = await make({ name: parent })
      if (policy === 'existing_only') await make({ name: child, parent: anew })
      const found = await resolve([`${parent} > ${child}`], { taxonomy, policy })
      expect(found.warnings).toEqual([])
      const stands = await rest('editor', 'GET', `/wp/v2/categories/${found.ids[0]}`)
      expect(stands).toMatchObject({ name: child, parent: anew })
    },
  )

  it('are not remembered where they are missing', async () => {
    const names = [unique('Boats')]
    expect(await resolve(names, { policy: 'existing_only' })).toMatchObject({ ids: [] })
    const { id } = await rest<RestItem>('administrator', 'POST', '/wp/v2/tags', { name: names[0] })
    made.add(`/wp/v2/tags/${id}`)
    expect(await resolve(names, { policy: 'existing_only' })).toEqual({ ids: [id], warnings: [] })
  })

  it('are made again once they are deleted, where what is remembered is not to be trusted', async () => {
    const names = [unique('Boats')]
    const { ids } = await resolve(names)
    await remove(`/wp/v2/tags/${ids[0]}`)
    expect(await resolve(names)).toMatchObject({ ids, remembered: ids })
    const { ids: anew } = await resolve(names, { anew: true })
    expect(anew).not.toEqual(ids)
    expect(await nameOf(anew[0])).toBe(names[0])
    expect(await resolve(names)).toMatchObject({ ids: anew, remembered: anew })
  })

  it('are found by their own name again once they are renamed, where what is remembered is not to be trusted', async () => {
    const names = [unique('Boats')]
    const { ids } = await resolve(names)
    await rest<RestItem>('administrator', 'POST', `/wp/v2/tags/${ids[0]}`, { name: unique('Ships') })
    const { ids: anew } = await resolve(names, { anew: true })
    expect(anew).not.toEqual(ids)
    expect(await nameOf(anew[0])).toBe(names[0])
  })

  it('are told apart by their letters where a site has both', async () => {
    const name = unique('ai')
    const { ids: lower } = await resolve([name])
    const upper = await rest<RestItem>('administrator', 'POST', '/wp/v2/tags', {
      name: name.toUpperCase(),
      slug: unique('upper'),
    })
    made.add(`/wp/v2/tags/${upper.id}`)
    expect(await resolve([name.toUpperCase()])).toMatchObject({ ids: [upper.id] })
    expect(await resolve([name])).toMatchObject({ ids: lower })
  })
})

describe('the answer to another request', () => {
  const another = (body: unknown, status = 200) =>
    alter('the answer of another', (reply) => ({ ...reply, status, body: Buffer.from(JSON.stringify(body)) }))

  it('is not taken for the term, though it says that one exists', async () => {
    const [name, other] = [unique('Boats'), unique('Harbours')]
    const { ids } = await resolve([other])
    const exists = { code: 'term_exists', message: 'It exists.', data: { status: 400, term_id: ids[0] } }
    proxy.rule({ method: 'POST', path: '/wp/v2/tags' }, another(exists, 400))
    const { ids: own } = await resolve([name])
    expect(await nameOf(own[0])).toBe(name)
  })

  it('is not taken for the category of the same name below another parent, nor for the tag', async () => {
    const [a, b, name] = [unique('News'), unique('Sport'), unique('Local')]
    const { ids: parents } = await resolve([a, b], { taxonomy: 'categories' })
    const elsewhere = await rest<RestItem>('administrator', 'POST', '/wp/v2/categories', {
      name,
      parent: parents[0],
    })
    made.add(`/wp/v2/categories/${elsewhere.id}`)
    proxy.rule({ method: 'POST', path: '/wp/v2/categories' }, another(elsewhere))
    const wanted = { taxonomy: 'categories', name, parent: parents[1] } as const
    const id = await createTerm(client, wanted)
    made.add(`/wp/v2/categories/${id}`)
    expect(await rest('administrator', 'GET', `/wp/v2/categories/${id}`)).toMatchObject({
      name,
      parent: parents[1],
    })
    const tag = await rest<RestItem>('administrator', 'POST', '/wp/v2/tags', { name: unique('Tides') })
    made.add(`/wp/v2/tags/${tag.id}`)
    proxy.clear()
    proxy.rule({ method: 'POST', path: '/wp/v2/categories' }, another(tag))
    const category = await createTerm(client, { taxonomy: 'categories', name: String(tag.name) })
    made.add(`/wp/v2/categories/${category}`)
    expect(category).not.toBe(tag.id)
  })
})
