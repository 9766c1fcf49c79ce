import type { Pool } from 'pg'
import { expect } from 'vitest'
import { purgeChanges } from '../../../src/changes/change-log.ts'
import type { TestGalley } from '../../support/galley.ts'

type Run = (sql: string, ...values: unknown[]) => Promise<unknown>

/** Changes of one account that were told, and are kept for now. */
export const fillChanges = (run: Run, accountId: string, rows: number): Promise<unknown> =>
  run(
    `INSERT INTO change (account_id, kind, subject_id, site_ids, xid, at)
     SELECT $1, 'delivery', gen_random_uuid(), '{}', 1 + n % 100, now() + interval '1 hour'
     FROM generate_series(1, $2::int) AS n`,
    accountId,
    rows,
  )

/** A stream that hears of a change, breaks, and goes on. */
export async function useStream({ url, call }: TestGalley, pool: Pool, adminKey: string): Promise<void> {
  const first = await listen(url, adminKey)
  const made = await call<{ id: string }>('POST', '/v1/sources', { name: 'heard' })
  const label = await call<{ data: { id: string }[] }>('GET', '/v1/sites?limit=1')
  const site = label.body.data[0]?.id as string
  await call('PATCH', `/v1/sites/${site}`, { name: 'Heard' })
  await expect.poll(() => first.text()).toContain(site)
  first.stop()
  const again = await listen(url, adminKey, /(?<=^id: ).*$/m.exec(first.text())?.[0])
  expect(again.text()).toContain('"resumed":true')
  again.stop()
  await purgeChanges(pool)
  await call('DELETE', `/v1/sources/${made.body.id}`)
}

async function listen(url: string, key: string, after?: string) {
  const stopping = new AbortController()
  const response = await fetch(`${url}/v1/stream`, {
    headers: { authorization: `Bearer ${key}`, ...(after !== undefined && { 'last-event-id': after }) },
    signal: stopping.signal,
  })
  let text = ''
  const decoder = new TextDecoder()
  const reading = (async () => {
    for await (const part of response.body ?? []) text += decoder.decode(part as Uint8Array, { stream: true })
  })()
  reading.catch(() => undefined)
  await expect.poll(() => text).toContain('event: ready')
  return { text: () => text, stop: () => stopping.abort() }
}
