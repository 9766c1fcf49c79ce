import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startTestGalley, webhookPath } from './support/galley.ts'
import { completed } from './support/webhooks.ts'

interface Answer {
  status: number | undefined
  connection: string | undefined
}

test('a process that is to end answers who keeps a connection busy, and ends the connection with the next answer', async () => {
  const galley = await startTestGalley({ role: 'web' })
  const url = new URL(await webhookPath(galley), galley.url)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  /** @param pause between the two halves of the body */
  const send = async (pause: () => Promise<unknown>): Promise<Answer> => {
    const body = JSON.stringify(completed({ id: randomUUID(), siteId: randomUUID() }))
    const sending = request(url, { method: 'POST', agent, headers: { 'content-length': body.length } })
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>
    sending.write(body.slice(0, 20))
    await pause()
    sending.end(body.slice(20))
    const [answer] = await answered
    await once(answer.resume(), 'end')
    return { status: answer.statusCode, connection: answer.headers.connection }
  }
  let stopped: Promise<void> | undefined
  const first = await send(async () => {
    await wait(200)
    stopped = galley.stop()
    await wait(200)
  })
  expect(first.status).toBe(202)
  expect(await send(async () => undefined)).toEqual({ status: 202, connection: 'close' })
  await stopped
  agent.destroy()
})

test.each(['all', 'worker'] as const)(
  'a process of role %s answers health and metrics at an address of their own, without a key',
  async (role) => {
    const galley = await startTestGalley({ role, metricsAddress: { host: '127.0.0.1', port: 0 } })
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect(await fetch(`${galley.metricsUrl}${path}`), path).toMatchObject({ status: 200 })
    const { status, headers } = await fetch(`${galley.metricsUrl}/v1/keys`)
    expect({ status, by: headers.get('x-powered-by') }).toEqual({ status: 404, by: null })
    await galley.stop()
    await expect(fetch(`${galley.metricsUrl}/healthz`)).rejects.toThrow()
  },
)
