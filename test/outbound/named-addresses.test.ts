import { expect, onTestFinished, test } from 'vitest'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { discover } from '../../src/wordpress/discover/discover.ts'
import { serve } from './server.ts'

/** What a person reads of an address that somebody named. */
async function said(ask: (outbound: ReturnType<typeof createOutbound>) => Promise<unknown>): Promise<string> {
  const outbound = createOutbound({ allowPrivate: 'all', userAgent: 'Galley/test' })
  onTestFinished(() => outbound.close())
  const error = await ask(outbound).then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(Error)
  return JSON.stringify({ ...(error as Error), message: (error as Error).message })
}

const WITH_PASSWORD = ['https://ann:hunter2@exam ple.com/', 'https://ann:hunter2@example.com:99999/']

test.each(WITH_PASSWORD)(
  'an address that is none is named without the password in it: %s',
  async (address) => {
    expect(await said((outbound) => outbound.request(address))).not.toContain('hunter2')
    expect(await said((outbound) => discover(outbound, address))).not.toContain('hunter2')
  },
)

test('a redirect to what is no address is named without the password in it', async () => {
  const { href } = await serve((_request, response) => {
    response.writeHead(302, { location: WITH_PASSWORD[1] }).end()
  })
  const words = await said((outbound) => outbound.request(href, { redirects: 'follow' }))
  expect(words).toContain('address_invalid')
  expect(words).not.toContain('hunter2')
})

test('of an address of any length a sentence has the beginning', async () => {
  const words = await said((outbound) => outbound.request(`data:image/png,${'x'.repeat(1_000_000)} `))
  expect(words).toContain('data:')
  expect(
    (await said((outbound) => outbound.request(`https://${'x'.repeat(1_000_000)} `))).length,
  ).toBeLessThan(2_000)
  expect(words.length).toBeLessThan(2_000)
})

test('of a chain of redirects a sentence has the beginning of the last', async () => {
  const { href } = await serve((_request, response) => {
    response.writeHead(302, { location: `/${'x'.repeat(10_000)}` }).end()
  })
  const words = await said((outbound) => outbound.request(href, { redirects: 'follow' }))
  expect(words).toContain('too_many_redirects')
  expect(words.length).toBeLessThan(2_000)
})
