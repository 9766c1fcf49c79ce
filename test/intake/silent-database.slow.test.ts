import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { ACK_TIMEOUT_MS } from '../../src/sources/sender.ts'
import { freshDatabase } from '../support/database/fresh-database.ts'
import { startDatabaseProxy } from '../support/database-proxy.ts'
import { startTestGalley, webhookPath } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'

test('a sender has its answer before it gives up, within five seconds', () => {
  expect(ACK_TIMEOUT_MS).toBeLessThan(5_000)
})

test('a webhook that meets a database which answers nothing is refused with 503, and taken as soon as it answers again', async () => {
  const database = await freshDatabase()
  const network = await startDatabaseProxy(database.connectionString)
  const galley = await startTestGalley(
    { role: 'web' },
    { ...database, connectionString: network.connectionString },
  )
  const pool = new Pool({ connectionString: database.connectionString, max: 1 })
  onTestFinished(async () => {
    await galley.stop()
    await network.close()
    await pool.end()
    await database.drop()
  })
  const webhook = await webhookPath(galley)
  const acknowledged: string[] = []
  const send = async () => {
    const body = completed({ siteId: randomUUID() })
    const { status } = await galley.call('POST', webhook, body)
    if (status === 202) acknowledged.push(body.id)
    return status
  }
  expect(await send()).toBe(202)

  network.swallow()
  // With the source remembered, and again without.
  for (let round = 0; round < 2; round += 1)
    expect(await Promise.all([send(), send(), send()])).toEqual([503, 503, 503])
  network.restore()
  await expect.poll(send, { interval: 100 }).toBe(202)

  const { rows } = await pool.query('SELECT document_id FROM event WHERE document_id = ANY ($1)', [
    acknowledged,
  ])
  expect(rows.map(({ document_id }) => document_id).sort()).toEqual([...acknowledged].sort())
})
