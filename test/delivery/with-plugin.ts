import { wordpress } from '../support/wordpress/index.ts'

/**
 * One REST call as an administrator at an address where WordPress behaves as some plugin makes it, past all of Galley's
 * own code.
 */
export async function asAdministrator<Answer>(
  url: string,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const { login, applicationPassword } = wordpress().users.administrator
  const response = await fetch(`${url}/wp-json${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${login}:${applicationPassword}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`)
  // Past what plugins print before it, which ends with its line.
  const answer = text.slice(text.lastIndexOf('\n') + 1)
  return JSON.parse(answer.slice(answer.search(/[{[]/))) as Answer
}
