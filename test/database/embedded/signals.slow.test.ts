import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { exists, isServerOf } from '../../../src/database/embedded/folders.ts'
import { query, test } from '../../support/database/embedded-test.ts'

test('SIGTERM stops the server and leaves no process behind, and the next start needs no recovery', async ({
  start,
  dataDir,
}) => {
  const first = start()
  const { pid, connectionString } = await first.saw('ready')
  const [row] = await query(connectionString, 'show data_directory')
  first.signal('SIGTERM')
  await first.saw('stopped')
  await first.exited
  expect(await exists(join(String(row?.data_directory), 'postmaster.pid'))).toBe(false)
  expect(await isServerOf(pid, String(row?.data_directory))).toBe(false)
  await start().saw('ready')
  const log = await readFile(join(dataDir, 'postgres', 'server.log'), 'utf8')
  expect(log).toContain('database system was shut down at')
  expect(log).not.toContain('automatic recovery')
})

test('Ctrl-C reaches Galley and not the server, which goes on until Galley has finished', async ({
  start,
}) => {
  const first = start()
  const { connectionString } = await first.saw('ready')
  const working = query(connectionString, "select 'finished' as answer from pg_sleep(0.5)")
  first.signalGroup('SIGINT')
  await first.saw('interrupted')
  expect(await working).toEqual([{ answer: 'finished' }])
  expect(await query(connectionString, 'select 1 as one')).toEqual([{ one: 1 }])
})
