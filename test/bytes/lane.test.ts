import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ByteLease, createByteBudget, Semaphore } from '../../src/bytes/budget.ts'

const lane = (size = 100, waitMs = 60_000) => new Semaphore(size, waitMs)

/** Lets everything that is decided come through. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('a lane of bytes', () => {
  it('gives what there is, and counts it until it comes back', async () => {
    const bytes = lane()
    const first = await bytes.take(60)
    expect([bytes.held, bytes.tryTake(41)]).toEqual([60, null])
    bytes.tryTake(40)?.release()
    first.release()
    expect(bytes.held).toBe(0)
  })

  it('counts a share that is released twice once', async () => {
    const bytes = lane()
    const first = await bytes.take(60)
    await bytes.take(30)
    first.release()
    first.release()
    first.shrink(10)
    expect(bytes.held).toBe(30)
  })

  it('serves a big one before small ones that came later', async () => {
    const bytes = lane()
    const held = await bytes.take(50)
    const order: string[] = []
    const served = (name: string) => (share: ByteLease) => {
      order.push(name)
      return share
    }
    const big = bytes.take(100).then(served('big'))
    const small = bytes.take(10).then(served('small'))
    await settle()
    expect([order, bytes.tryTake(1), bytes.waiting]).toEqual([[], null, 2])
    held.release()
    await settle()
    expect(order).toEqual(['big'])
    ;(await big).release()
    ;(await small).release()
    expect([order, bytes.held]).toEqual([['big', 'small'], 0])
  })

  it('admits alone what is larger than all there is', async () => {
    const bytes = lane()
    const huge = await bytes.take(1_000_000)
    expect([huge.bytes, bytes.tryTake(1)]).toEqual([100, null])
    huge.release()
    expect(bytes.held).toBe(0)
  })

  it('passes on what a share gives back', async () => {
    const bytes = lane()
    const held = await bytes.take(100)
    const next = bytes.take(70)
    held.shrink(30)
    expect((await next).bytes).toBe(70)
    held.shrink(90)
    expect(held.bytes).toBe(30)
  })

  it('lets a share grow while there is room and nobody waits', async () => {
    const bytes = lane()
    const share = await bytes.take(10)
    expect([share.tryGrow(40), share.tryGrow(60), bytes.held]).toEqual([true, false, 50])
    const waiting = bytes.take(60)
    expect(share.tryGrow(1)).toBe(false)
    share.release()
    await waiting
  })

  it('refuses who waited too long, and serves who stood behind', async () => {
    const bytes = lane()
    const held = await bytes.take(50)
    const big = bytes.take(60, { waitMs: 20 })
    const small = bytes.take(10)
    await expect(big).rejects.toMatchObject({ code: 'memory_busy', httpStatus: 503, retryAfterMs: 5_000 })
    ;(await small).release()
    held.release()
    expect([bytes.held, bytes.waiting]).toEqual([0, 0])
  })

  it('lets go of who does not want any more', async () => {
    const bytes = lane()
    const held = await bytes.take(100)
    const stop = new AbortController()
    const waiting = bytes.take(10, { signal: stop.signal })
    stop.abort(new Error('stopping'))
    await expect(waiting).rejects.toThrow('stopping')
    await expect(bytes.take(10, { signal: stop.signal })).rejects.toThrow('stopping')
    held.release()
    expect([bytes.held, bytes.waiting]).toEqual([0, 0])
  })

  it('is never more than full, serves all in their order, and ends empty, whatever is asked', async () => {
    const requested = fc.record({
      bytes: fc.integer({ min: 0, max: 150 }),
      givesUp: fc.boolean(),
      to: fc.nat(150),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(requested, { maxLength: 30 }), async (requested) => {
        const bytes = lane()
        const served: number[] = []
        const all = requested.map(async ({ bytes: wanted, givesUp, to }, index) => {
          const stop = new AbortController()
          const taking = bytes.take(wanted, { signal: stop.signal })
          if (givesUp) stop.abort(new Error('gone'))
          const share = await taking.catch(() => null)
          if (share === null) return
          served.push(index)
          expect(bytes.held).toBeLessThanOrEqual(100)
          await settle()
          share.shrink(to)
          await settle()
          share.release()
        })
        await Promise.all(all)
        expect([bytes.held, bytes.waiting]).toEqual([0, 0])
        expect(served).toEqual([...served].sort((a, b) => a - b))
      }),
    )
  })
})

describe('the budget', () => {
  it('has a part for every use, and all of them together are the whole', () => {
    const budget = createByteBudget(64 * 1024 * 1024)
    const sizes = Object.values(budget).map(({ size }) => size)
    expect(sizes.reduce((sum, size) => sum + size)).toBe(64 * 1024 * 1024)
    expect(Math.min(...sizes)).toBeGreaterThan(0)
  })
})
