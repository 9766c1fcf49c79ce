import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { createClient } from '../../src/wordpress/client/client.ts'

const applicationPassword = 'abcd EFGH 1234 abcd "FGH 1234'
const encoded = Buffer.from(`galley:${applicationPassword}`).toString('base64')

// A debugging plugin that answers with all it was sent; no WordPress does that by itself.
const echoes: [string, number, string][] = [
  ['the header', 500, JSON.stringify({ code: 'debug', message: `got Basic ${encoded}` })],
  ['the password', 403, JSON.stringify({ code: 'debug', message: `wrong: ${applicationPassword}` })],
  ['the password without spaces', 401, `<h1>${applicationPassword.replaceAll(' ', '')}</h1>`],
  ['the password in an address', 404, `<a href="/?p=${encodeURIComponent(applicationPassword)}">`],
  ['the password, and says that all is well', 200, JSON.stringify({ name: applicationPassword })],
]

const subjects = ['user', 'post'] as const

/** A client of a site that answers everything so. */
async function clientOf(status: number, body: string, password: string) {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-debug': encoded }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const outbound = createOutbound({ allowPrivate: 'all', userAgent: 'Galley/test' })
  onTestFinished(async () => {
    server.close()
    await outbound.close()
  })
  const restRoot = `http://127.0.0.1:${(server.address() as AddressInfo).port}/wp-json/`
  const connection = { name: 'echo', restRoot, username: 'galley', applicationPassword: password }
  return createClient(connection, outbound)
}

const cases = echoes.flatMap(([name, status, body]) =>
  subjects
    .filter((subject) => subject === 'user' || status !== 200)
    .map((subject) => ({ name, status, body, subject })),
)

test.each(cases)(
  'what a site repeats of its credentials goes no further: $name to a $subject',
  async ({ status, body, subject }) => {
    const client = await clientOf(status, body, applicationPassword)
    const seen = await client
      .request({ path: '/wp/v2/users/me', doing: 'asking', subject })
      .catch((error: unknown) => error)
    const told = JSON.stringify(seen, (_key, value) =>
      value instanceof Error ? { ...value, message: value.message, cause: value.cause } : value,
    )
    expect(told.length).toBeGreaterThan(20)
    for (const secret of [encoded, 'abcd EFGH', 'abcdEFGH', 'abcd%20EFGH']) expect(told).not.toContain(secret)
  },
)

test('a post keeps every word, of which a password may be one', async () => {
  const post = { id: 7, title: { raw: 'What marketing costs' } }
  const client = await clientOf(200, JSON.stringify(post), 'marketing')
  const { data } = await client.request({ path: '/wp/v2/posts/7', doing: 'asking', subject: 'post' })
  expect(data).toEqual(post)
})
