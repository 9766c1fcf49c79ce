import { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Sites, startSites } from '../../../bench/simulator/sites.ts'
import { createKey } from '../../../src/secrets/keys.ts'
import { quickTiming } from '../../faults/stage/timing.ts'
import { emptyDatabase, type FreshDatabase } from '../../support/database/fresh-database.ts'
import { settled, startTestGalley } from '../../support/galley.ts'
import { completed } from '../../support/webhooks.ts'
import { migrateTo, schemasOfWaiting } from './schemas.ts'
import { storeWaiting } from './waiting.ts'

// What waited under an earlier schema is delivered by this Galley, which migrates as it starts. Each schema after which the
// tables of such a document changed; the rows of all others are compared in rows.test.ts.

const secretKeys = createKey()
let sites: Sites
beforeAll(async () => {
  sites = await startSites(1, () => undefined)
})
afterAll(() => sites.close())

let database: FreshDatabase
let pool: Pool
beforeEach(async () => {
  database = await emptyDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 1 })
})
afterEach(async () => {
  await pool.end()
  await database.drop()
})

test.each(schemasOfWaiting)('a document that waited under the schema of %s is delivered', async (schema) => {
  const url = sites.urls[0] as string
  await migrateTo(database.connectionString, schema)
  const { documentId, siteId, token } = await storeWaiting(pool, { schema, url, secretKeys })
  const galley = await startTestGalley({ secretKeys }, database, quickTiming)
  try {
    expect(await settled(galley, documentId, 20)).toMatchObject({ status: 'delivered', error: null })
    // Its sender knows the same address, and the newer version goes to the same post.
    const newer = completed({ id: documentId, siteId, title: 'Of old, and newer' })
    expect((await galley.call('POST', `/v1/webhooks/${token}`, newer)).status).toBe(202)
    const titles = () => pool.query(`SELECT title FROM delivery WHERE status = 'delivered'`)
    await expect.poll(async () => (await titles()).rows).toEqual([{ title: 'Of old, and newer' }])
  } finally {
    await galley.stop()
  }
})
