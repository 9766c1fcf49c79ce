import { expect, onTestFinished, test } from 'vitest'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { serve } from './server.ts'

const guarded = () => {
  const outbound = createOutbound({ allowPrivate: [], userAgent: 'Galley/0.0.0' })
  onTestFinished(() => outbound.close())
  return outbound
}

test('a guard that may also reach a target reaches that one, and the guard that it is of does not', async () => {
  const [named, other] = [
    await serve((_request, response) => response.end('named')),
    await serve((_request, response) => response.end('other')),
  ]
  const outbound = guarded()
  const also = outbound.also([named.host])
  expect((await also.request(named)).body.toString()).toBe('named')
  await expect(also.request(other)).rejects.toMatchObject({ code: 'address_not_allowed' })
  await expect(outbound.request(named)).rejects.toMatchObject({ code: 'address_not_allowed' })
})

test('it ends with the one that it is of', async () => {
  const outbound = guarded()
  const silent = await serve(() => {
    void outbound.close()
  })
  await expect(outbound.also([silent.host]).request(silent)).rejects.toMatchObject({
    code: 'request_aborted',
  })
})
