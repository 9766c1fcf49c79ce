import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { expect } from 'vitest'
import { purgeOldKeys, runIdempotent } from '../../../src/idempotency/idempotency.ts'
import { openKeyring, parseSecretKeys } from '../../../src/secrets/keyring.ts'
import type { TestGalley } from '../../support/galley.ts'
import { completed } from '../../support/webhooks.ts'

type Run = (sql: string, ...values: unknown[]) => Promise<unknown>

/** Keys of as many requests as there are rows. */
export const fillKeys = (run: Run, accountId: string, rows: number): Promise<unknown> =>
  run(
    `INSERT INTO idempotency_key (id, account_id, key, request_digest, answer, created_at)
     SELECT uuidv7(), $1, gen_random_uuid()::text, '', '', now() - n * interval '3 seconds'
     FROM generate_series(1, $2::int) AS n`,
    accountId,
    rows,
  )

/** A document that comes directly, and requests that are known by a key. */
export async function useDirect(
  { call }: TestGalley,
  pool: Pool,
  { works, secretKeys, accountId }: { works: string; secretKeys: string; accountId: string },
): Promise<void> {
  const { id, data } = completed()
  const source = await call<{ id: string }>('POST', '/v1/sources', { name: 'Direct' })
  const sent = { id, data, site_ids: [works], source_id: source.body.id }
  const stored = await call<{ id: string }>('POST', '/v1/deliveries', sent)
  expect(stored).toMatchObject({ status: 202 })
  const again = await call('POST', `/v1/events/${stored.body.id}/deliver`, { site_ids: [works] })
  expect(again).toMatchObject({ status: 202 })
  const asked = { accountId, keyId: randomUUID(), operation: 'make', request: {} }
  const keyring = openKeyring(parseSecretKeys(secretKeys, 'this test'))
  const make = (key: string, work: () => Promise<{ status: number; body: { success: boolean } }>) =>
    runIdempotent({ pool, keyring }, { ...asked, key }, work)
  for (const key of ['one', 'one']) await make(key, async () => ({ status: 200, body: { success: true } }))
  const failing = make('two', async () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  await purgeOldKeys(pool)
}
