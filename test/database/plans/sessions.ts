import type { Pool } from 'pg'
import { expect } from 'vitest'
import type { TestGalley } from '../../support/galley.ts'

type Run = (sql: string, ...values: unknown[]) => Promise<unknown>

/** As many sessions as there are rows, of keys that many people have signed in with. */
export const fillSessions = (run: Run, accountId: string, rows: number): Promise<unknown> =>
  run(
    `INSERT INTO session (id, account_id, key_id, hash)
     SELECT uuidv7(), $1, md5((n % ($2::int / 20))::text)::uuid, gen_random_uuid()::text FROM generate_series(1, $2::int) AS n`,
    accountId,
    rows,
  )

/**
 * Signs in, comes back after a while, and signs out.
 *
 * @param own what stands before a statement of the test itself
 */
export async function useSession(
  { url }: TestGalley,
  pool: Pool,
  { adminKey, own }: { adminKey: string; own: string },
): Promise<void> {
  const ask = (method: string, headers: Record<string, string>) =>
    fetch(`${url}/v1/session`, { method, headers })
  const signedIn = await ask('POST', { authorization: `Bearer ${adminKey}` })
  expect(signedIn.status).toBe(201)
  const cookie = signedIn.headers.getSetCookie()[0]?.replace(/;.*/, '') ?? ''
  await pool.query(`${own} UPDATE session SET last_used_at = now() - interval '1 hour' WHERE created_at > now() - interval '1 minute'
    AND key_id IN (SELECT id FROM api_key)`)
  for (const [method, status] of [
    ['GET', 200],
    ['DELETE', 200],
  ] as const)
    expect((await ask(method, { cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(status)
}
