import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../../src/database/index.ts'
import { migrationsFolder } from '../../../src/database/migration-files.ts'
import { type SimulatedStage, startSimulated } from '../../faults/stage/simulated.ts'
import { settled, startTestGalley } from '../../support/galley.ts'

// A newer Galley migrates the database while this one, the older, works on it. docs/operations.md, "Upgrades".

const FUTURE = '29990101000000_of_the_future'
let folder: string
let stage: SimulatedStage
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galley-migrations-'))
  await cp(migrationsFolder, folder, { recursive: true })
  await mkdir(join(folder, FUTURE))
  const tables = ['delivery', 'event', 'site', 'source', 'api_key', 'delivery_step', 'worker_process']
  const sql = tables.map((table) => `ALTER TABLE "${table}" ADD COLUMN "future" TEXT NOT NULL DEFAULT '';\n`)
  await writeFile(join(folder, FUTURE, 'migration.sql'), sql.join(''))
  stage = await startSimulated()
})
afterAll(async () => {
  await stage.close()
  await rm(folder, { recursive: true })
})

test('an older process goes on with what it has loaded, and one that starts is refused', async () => {
  const { galley, database, sites, send } = stage
  const siteId = sites[0]?.id as string
  const delivered = async () =>
    expect(await settled(galley, await send(siteId))).toMatchObject({ status: 'delivered', error: null })
  await delivered()
  const { connectionString } = database
  expect(await migrate({ connectionString, log: pino({ level: 'silent' }), folder })).toEqual([FUTURE])
  // More than once: what is prepared on each of its connections meets the columns that it does not know.
  for (let round = 0; round < 5; round += 1) await delivered()
  expect((await fetch(`${galley.url}/readyz`)).status).toBe(200)
  await expect(startTestGalley({}, database)).rejects.toMatchObject({
    code: 'database_newer',
    message: expect.stringContaining(FUTURE),
  })
  await delivered()
})
