import { randomBytes } from 'node:crypto'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeExpired, removeUnfinished } from '../../../src/generation/storage/file-rows.ts'
import { createStorage } from '../../../src/generation/storage/storage.ts'
import { PUBLIC_URL, type StorageStage, startStorage } from './stage.ts'

let stage: StorageStage
beforeAll(async () => {
  stage = await startStorage()
})
afterAll(() => stage.stop())

const keep = (served = true) =>
  stage.storage.keep({
    accountId: stage.accountId,
    type: 'image/png',
    extension: 'png',
    body: randomBytes(100),
    served,
  })

const query = (sql: string, values: unknown[] = []) => stage.database.pool.query(sql, values)
const tokens = async () => (await query('SELECT token FROM stored_file')).rows.map(({ token }) => token)
const lying = async () =>
  (await readdir(join(stage.dataDir, 'files'), { recursive: true })).filter((name) => name.endsWith('.png'))

test('files whose time is over go, bytes and rows, and no others', async () => {
  const [old, young] = [await keep(), await keep()]
  await query(`UPDATE stored_file SET expires_at = now() - interval '1 second' WHERE token = $1`, [old.token])
  expect(await removeExpired(stage.storage)).toEqual({ removed: 1, left: 0 })
  expect(await tokens()).toEqual([young.token])
  expect(await lying()).toHaveLength(1)
  expect(await removeExpired(stage.storage)).toEqual({ removed: 0, left: 0 })
})

test('what one process announced and never placed goes after a day, whatever there is of it', async () => {
  // As a kill leaves it: the bytes are in their place, and nobody has confirmed them.
  const { token } = await keep()
  await query(
    `UPDATE stored_file SET served = false, expires_at = now() + interval '1 day' WHERE token = $1`,
    [token],
  )
  expect(await removeExpired(stage.storage)).toEqual({ removed: 0, left: 0 })
  await query(
    `INSERT INTO stored_file (token, account_id, key, type, bytes, sha256, served, expires_at)
     VALUES ('never-placed', $1, 'folder/ab.png', 'image/png', 1, '', false, now() - interval '1 minute')`,
    [stage.accountId],
  )
  await query(`UPDATE stored_file SET expires_at = now() - interval '1 minute' WHERE token = $1`, [token])
  expect(await removeExpired(stage.storage)).toEqual({ removed: 2, left: 0 })
  expect(await tokens()).not.toContain(token)
})

test('a store that refuses keeps its file for one of the next nights, and no other', async () => {
  const [first, second] = [await keep(), await keep()]
  const before = await tokens()
  await query(`UPDATE stored_file SET expires_at = now() - interval '1 minute' WHERE token = ANY ($1)`, [
    [first.token, second.token],
  ])
  await query(`UPDATE stored_file SET key = 's3/' || key WHERE token = $1`, [first.token])
  expect(await removeExpired(stage.storage)).toEqual({ removed: 1, left: 1 })
  expect(await tokens()).toEqual(before.filter((token) => token !== second.token))
  await query(`UPDATE stored_file SET key = substring(key FROM 4) WHERE token = $1`, [first.token])
  expect(await removeExpired(stage.storage)).toEqual({ removed: 1, left: 0 })
  await query('DELETE FROM stored_file')
})

test('more than one batch goes in one night', async () => {
  await query(
    `INSERT INTO stored_file (token, account_id, key, type, bytes, sha256, expires_at)
     SELECT 'old-' || n, $1, 'folder/' || n || '.png', 'image/png', 1, '', now() - interval '1 minute' FROM generate_series(1, 1200) n`,
    [stage.accountId],
  )
  expect(await removeExpired(stage.storage)).toEqual({ removed: 1200, left: 0 })
})

test('how long files are kept is a setting; 0 is for ever, and those of jobs alone go with their jobs', async () => {
  const { pool } = stage.database
  const days = async (setting: number, served: boolean) => {
    const storage = createStorage({
      pool,
      dataDir: stage.dataDir,
      publicUrl: () => PUBLIC_URL,
      days: setting,
    })
    const { token } = await storage.keep({
      accountId: stage.accountId,
      type: 'image/png',
      extension: 'png',
      body: Buffer.from('x'),
      served,
    })
    const { rows } = await query(
      `SELECT extract(days FROM expires_at - created_at)::int AS days FROM stored_file WHERE token = $1`,
      [token],
    )
    return rows[0].days
  }
  expect([await days(7, true), await days(0, true), await days(7, false)]).toEqual([7, null, 365])
})

test('what a killed process was writing goes after a day; what is being written stays', async () => {
  const { unfinished } = stage.storage
  await mkdir(unfinished, { recursive: true })
  const yesterday = new Date(Date.now() - 90_000_000)
  await writeFile(join(unfinished, 'old'), 'x')
  await utimes(join(unfinished, 'old'), yesterday, yesterday)
  await writeFile(join(unfinished, 'new'), 'x')
  expect(await removeUnfinished(unfinished)).toBe(1)
  expect(await readdir(unfinished)).toEqual(['new'])
  expect(await removeUnfinished(join(unfinished, 'nothing'))).toBe(0)
})
