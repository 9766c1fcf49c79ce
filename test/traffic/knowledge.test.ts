import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createSiteTraffic } from '../../src/wordpress/traffic/site-traffic.ts'
import { upTo } from './fake-site.ts'

const traffic = () => createSiteTraffic({ concurrency: 2, batch: 'auto' })

describe('what is asked for in the same moment', () => {
  it('is asked for once, twenty at most, and each gets its own', async () => {
    const site = traffic()
    const asked: number[][] = []
    const many = async (items: readonly number[]) => {
      asked.push([...items])
      return items.map((item) => item * 10)
    }
    const found = await Promise.all(upTo(45).map((item) => site.gather('tens', item, many)))
    expect(found).toEqual(upTo(45).map((item) => item * 10))
    expect(asked.map(({ length }) => length)).toEqual([20, 20, 5])
    await site.gather('tens', 1, many)
    expect(asked.at(-1)).toEqual([1])
  })

  it('is kept apart by its name', async () => {
    const site = traffic()
    const as = (word: string) => async (items: readonly number[]) => items.map((item) => `${word} ${item}`)
    expect(await Promise.all([site.gather('a', 1, as('one')), site.gather('b', 1, as('two'))])).toEqual([
      'one 1',
      'two 1',
    ])
  })

  it('fails for all who asked, and for none of the next', async () => {
    const site = traffic()
    const fails = () => Promise.reject(new Error('no answer'))
    const settled = await Promise.allSettled([site.gather('a', 1, fails), site.gather('a', 2, fails)])
    expect(settled).toMatchObject([
      { reason: { message: 'no answer' } },
      { reason: { message: 'no answer' } },
    ])
    expect(await site.gather('a', 1, async () => ['found'])).toBe('found')
  })
})

describe('what is known of a site', () => {
  it('is learned once, also by those who ask meanwhile', async () => {
    const site = traffic()
    let learned = 0
    const learn = async () => ++learned
    expect(await Promise.all([site.remember('term 1', learn), site.remember('term 1', learn)])).toEqual([
      1, 1,
    ])
    expect(await site.remember('term 1', learn)).toBe(1)
    expect(await site.remember('term 2', learn)).toBe(2)
  })

  it('is learned anew where it lacks what is looked for, unless that was a moment ago', async () => {
    let now = 1_000
    const site = createSiteTraffic({ concurrency: 2, batch: 'auto', now: () => now })
    const names = ['Ada']
    const learn = async () => [...names]
    const has = (name: string) => (known: string[]) => known.includes(name)
    expect(await site.remember('names', learn, has('Grace'))).toEqual(['Ada'])
    names.push('Grace')
    expect(await site.remember('names', learn, has('Grace'))).toEqual(['Ada'])
    now += 20_000
    // The library looks at the clock once in a millisecond.
    await setTimeout(5)
    expect(await site.remember('names', learn, has('Ada'))).toEqual(['Ada'])
    expect(await site.remember('names', learn, has('Grace'))).toEqual(['Ada', 'Grace'])
  })

  it('is learned anew where that failed', async () => {
    const site = traffic()
    await expect(site.remember('term 1', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect(await site.remember('term 1', async () => 'found')).toBe('found')
  })

  it('is forgotten by how its keys begin', async () => {
    const site = traffic()
    for (const key of ['term 1', 'term 2', 'type 1']) await site.remember(key, async () => 'before')
    site.forget('term ')
    const now = await Promise.all(
      ['term 1', 'term 2', 'type 1'].map((key) => site.remember(key, async () => 'now')),
    )
    expect(now).toEqual(['now', 'now', 'before'])
  })
})
