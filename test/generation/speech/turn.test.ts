import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  acquireEncoder,
  MAX_CONCURRENT_ENCODERS,
} from '../../../src/generation/pipeline/speech/encode/encode.ts'

const signal = new AbortController().signal

test('no more than two are encoded at once, and who waits gets its turn, but for those who have gone', async () => {
  const held = await Promise.all(
    Array.from({ length: MAX_CONCURRENT_ENCODERS }, () => acquireEncoder(signal)),
  )
  const order: string[] = []
  const wait = async (name: string, own: AbortSignal) => {
    const ended = await acquireEncoder(own)
    order.push(name)
    return ended
  }
  const leaving = new AbortController()
  const gone = wait('gone', leaving.signal)
  const [first, second] = [wait('first', signal), wait('second', signal)]
  await setImmediate()
  expect(order).toEqual([])

  // A turn is free, and who is next for it goes in the same moment: it must not keep it.
  held[0]?.()
  leaving.abort(new Error('the claim is lost'))
  await expect(gone).rejects.toThrow('the claim is lost')
  const endFirst = await first
  expect(order).toEqual(['first'])
  endFirst()
  ;(await second)()
  held[1]?.()
  expect(order).toEqual(['first', 'second'])
  for (const ended of await Promise.all([acquireEncoder(signal), acquireEncoder(signal)])) ended()
})
