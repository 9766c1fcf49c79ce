import { performance } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { isStaleObservation } from '../../src/wordpress/client/client.ts'
import { fakeSite, fill, look, reserve, slowly, upTo } from './fake-site.ts'

it('what was decided by a look goes before the looks of others', async () => {
  const site = await fakeSite({ concurrency: 1, batch: 'off' })
  site.trouble(slowly)
  const underWay: number[] = []
  const lookAndFill = async (id: number) => {
    await look(site.client, id)
    const seen = site.heard.length
    await fill(site.as('author', { holds: () => true }), id)
    underWay.push(
      site.heard.findIndex(({ method, path }) => method === 'POST' && path.endsWith(`/${id}`)) - seen,
    )
  }
  await Promise.all(upTo(20).map(lookAndFill))
  // The look that took the place while the fill was being decided.
  expect(Math.max(...underWay)).toBeLessThanOrEqual(1)
})

it('a request that what it was decided by has outlasted is not sent, and says so', async () => {
  const site = await fakeSite({ concurrency: 1 })
  const late = site.as('author', { holds: () => false })
  for (const request of [fill(late, 1), reserve(late, 'galley-1')])
    expect(await request.catch((error: unknown) => isStaleObservation(error))).toBe(true)
  expect(site.went()).toEqual([])
  expect(site.traffic.persists()).toBe(false)
})

it('nor are those of a batch, beside which the others go', async () => {
  const site = await fakeSite({ concurrency: 1 })
  const late = site.as('author', { holds: () => false })
  const all = upTo(4).map((id) => fill(id === 2 ? late : site.client, id))
  const ends = await Promise.allSettled(all)
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  expect(site.went()).toEqual(['batch of 3'])
})

it('a failure that came late is believed, since what the request was decided by may not stand any more', async () => {
  const site = await fakeSite()
  await look(site.client)
  let until = Number.POSITIVE_INFINITY
  site.trouble(() => {
    until = performance.now()
    return { status: 504, body: '<title>Error 504</title>' }
  })
  const error = await fill(site.as('author', { holds: () => performance.now() < until }), 7).catch(
    (thrown: unknown) => thrown,
  )
  expect(error).toMatchObject({ code: 'gateway_error', action: 'ambiguous' })
  expect(site.went().filter((went) => went.startsWith('POST'))).toHaveLength(1)
})
