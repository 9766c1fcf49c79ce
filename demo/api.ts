import { GalleyError } from '../src/errors.ts'

/** One call of Galley's API; answers the body's `data`, or the whole body where it has none or that is asked for. */
export type Call = <Answer>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
  part?: 'data' | 'whole',
) => Promise<Answer>

/** Calls of the Galley at `url`, as a user with this key makes them. A failure throws what Galley says. */
export function createApi(url: string, key: string): Call {
  return async (method, path, body, part = 'data') => {
    const answer = await send(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    })
    return (part === 'data' && answer.data) || answer
  }
}

/** Posts a webhook to its secret address, as the sender does: without a key. */
export function postWebhook(address: string, webhook: object): Promise<unknown> {
  return send(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(webhook),
  })
}

async function send(address: string, request: RequestInit) {
  const response = await fetch(address, request)
  const answer = await response.json()
  if (!response.ok) throw new GalleyError(answer.error)
  return answer
}
