import { exchange, type WireAnswer } from './wire.ts'

/** An answer with the JSON in it, an empty object where there is none. */
export interface Answered<Data = unknown> extends WireAnswer {
  json: { success?: boolean; data?: Data; error?: { code: string; message: string } }
}

/** A well-formed call of the API, as an honest client makes it. */
export async function call<Data = unknown>(
  port: number,
  key: string,
  method: string,
  target: string,
  body?: unknown,
): Promise<Answered<Data>> {
  const answer = await exchange(port, {
    method,
    target,
    headers: [
      ['Authorization', `Bearer ${key}`],
      ['Content-Type', 'application/json'],
    ],
    body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
  })
  return { ...answer, json: jsonOf(answer) }
}

/** The JSON of an answer; an empty object where there is none. */
export function jsonOf({ body }: WireAnswer): Record<string, never> {
  try {
    return JSON.parse(body)
  } catch {
    return {}
  }
}
