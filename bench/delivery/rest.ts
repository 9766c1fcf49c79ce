import type { BenchWordPress } from './wordpress.ts'

/** One call of the REST API past Galley, below `/wp-json`. @throws unless it succeeded */
export async function rest<Answer>(
  { url, username, applicationPassword }: BenchWordPress,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  data?: object,
): Promise<Answer> {
  const response = await fetch(`${url}/wp-json${path}`, {
    method,
    headers: { authorization: basic({ username, applicationPassword }), 'content-type': 'application/json' },
    body: data === undefined ? null : JSON.stringify(data),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
  return JSON.parse(text) as Answer
}

/** The header that names a user by an application password. */
export const basic = ({
  username,
  applicationPassword,
}: Pick<BenchWordPress, 'username' | 'applicationPassword'>): string =>
  `Basic ${Buffer.from(`${username}:${applicationPassword}`).toString('base64')}`
