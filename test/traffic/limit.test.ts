import { describe, expect, it } from 'vitest'
import { ConcurrencyWindow } from '../../src/wordpress/traffic/concurrency.ts'
import { ends, fakeSite, fillMany, look, slowly, upTo } from './fake-site.ts'

describe('requests to a site at once', () => {
  it('are never more than its setting, which may change', async () => {
    const { client, traffic, most, trouble } = await fakeSite({ concurrency: 2 })
    trouble(slowly)
    await Promise.all(upTo(12).map((id) => look(client, id)))
    expect(most()).toBe(2)
    traffic.concurrency = 5
    await Promise.all(upTo(20).map((id) => look(client, id)))
    expect(most()).toBe(5)
  })

  it('go by themselves where the setting batch is off', async () => {
    const { client, went } = await fakeSite({ batch: 'off' })
    expect(ends(await fillMany(client, 4))).toEqual([1, 2, 3, 4])
    expect(went().sort()).toEqual(upTo(4).map((id) => `POST /wp/v2/posts/${id}`))
  })
})

describe('the window', () => {
  it('is half as wide after a failure, and as wide as before after as many rounds of successes', () => {
    const window = new ConcurrencyWindow(8)
    window.narrow()
    expect(window.free).toBe(4)
    for (const _ of upTo(4)) window.widen()
    expect(window.free).toBe(5)
    for (const _ of upTo(5 + 6 + 7)) window.widen()
    expect(window.free).toBe(8)
    window.widen()
    expect(window.free).toBe(8)
  })

  it('keeps one place free after a failure that stands alone, and is whole again with the next success', () => {
    const window = new ConcurrencyWindow(4)
    for (const _ of upTo(3)) window.take()
    window.wait()
    expect(window.free).toBe(0)
    window.widen()
    expect(window.free).toBe(1)
    window.wait()
    window.narrow()
    expect(window.free).toBe(0)
    for (const _ of upTo(3)) window.release()
    expect(window.free).toBe(2)
  })

  it('is never closed', () => {
    const window = new ConcurrencyWindow(3)
    for (const _ of upTo(10)) window.narrow()
    expect(window.free).toBe(1)
    window.wait()
    expect(window.free).toBe(1)
    window.take()
    expect(window.free).toBe(0)
  })

  it('follows the setting, and stays narrow where it was narrow', () => {
    const window = new ConcurrencyWindow(4)
    window.ceiling = 6
    expect(window.free).toBe(6)
    window.shut()
    window.ceiling = 8
    expect(window.free).toBe(1)
    window.ceiling = 1
    window.widen()
    expect(window.free).toBe(1)
  })
})
