import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../http/app.ts'

const LINES = 60

test('an import begins no further line when nobody waits for its answer any more', async () => {
  const app = await startApp()
  const asked = new Set<string>()
  let open = 0
  const site = createServer((request, response) => {
    asked.add(request.url?.split('/')[1] ?? '')
    open += 1
    response.once('close', () => {
      open -= 1
    })
    setTimeout(() => response.end('<title>A shop</title>'), 100)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    site.closeAllConnections()
    site.close()
    await app.stop()
  })
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  const lines = Array.from({ length: LINES }, (_, n) => `${url}/site-${n}/,galley,abcd efgh`)
  const client = new AbortController()
  const sent = fetch(`${app.url}/v1/sites/import`, {
    method: 'POST',
    signal: client.signal,
    headers: { authorization: `Bearer ${app.owner.key}`, 'content-type': 'text/csv' },
    body: ['url,username,application_password', ...lines].join('\n'),
  })
  sent.catch(() => undefined)
  await expect.poll(() => asked.size).toBeGreaterThan(0)
  client.abort()
  await expect(sent).rejects.toThrow()
  // What was under way ends.
  let quiet = 0
  await expect
    .poll(
      () => {
        quiet = open === 0 ? quiet + 1 : 0
        return quiet
      },
      { interval: 50 },
    )
    .toBeGreaterThan(20)
  expect(asked.size).toBeLessThan(LINES / 2)
})
