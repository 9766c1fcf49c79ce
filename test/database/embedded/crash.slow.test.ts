import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { expect } from 'vitest'
import { openDatabase } from '../../../src/database/client.ts'
import { isAlive } from '../../../src/database/embedded/folders.ts'
import { killProcess, query, test } from '../../support/database/embedded-test.ts'

const createRow = 'drop table if exists kept; create table kept as select 42 as answer'
const readRow = 'select answer from kept'

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await condition()); waited += 50) {
    if (waited > 120_000) throw new Error('It did not happen within two minutes')
    await sleep(50)
  }
}

test('after kill -9 the server runs on, and the next Galley adopts it', async ({ start }) => {
  const first = start()
  const before = await first.saw('ready')
  await query(before.connectionString, createRow)
  await killProcess(first)
  expect(isAlive(before.pid)).toBe(true)

  const after = await start().saw('ready')
  expect(after).toEqual(before)
  expect(await query(after.connectionString, readRow)).toEqual([{ answer: 42 }])
})

test('after kill -9 of Galley and the server at once, the next start recovers what was committed', async ({
  start,
}) => {
  const first = start()
  const before = await first.saw('ready')
  await query(before.connectionString, createRow)
  first.signal('SIGKILL')
  process.kill(before.pid, 'SIGKILL')
  await first.exited

  const after = await start().saw('ready')
  expect(after.pid).not.toBe(before.pid)
  expect(await query(after.connectionString, readRow)).toEqual([{ answer: 42 }])
})

test('a server number that belongs to another process after a reboot does not stop the start', async ({
  start,
}) => {
  const first = start()
  const before = await first.saw('ready')
  const [row] = await query(before.connectionString, 'show data_directory')
  first.signal('SIGTERM')
  await first.exited

  // A process of the same user that is no server of these data.
  const other = spawn('sleep', ['60'], { uid: process.getuid?.() })
  const pidFile = join(String(row?.data_directory), 'postmaster.pid')
  await writeFile(pidFile, `${other.pid}\n${row?.data_directory}\n1\n5432\n\n\n`)
  const after = await start().saw('ready')
  other.kill()
  expect(after.pid).not.toBe(before.pid)
  expect((await readFile(pidFile, 'utf8')).split('\n')[0]).toBe(String(after.pid))
})

test('a server that dies under a running Galley is started again, and the pool finds it', async ({
  start,
}) => {
  const { pid, connectionString } = await start().saw('ready')
  const database = openDatabase({ connectionString, poolSize: 2, log: pino({ level: 'silent' }) })
  await database.pool.query(createRow)
  const began = await beginning(connectionString)
  process.kill(pid, 'SIGKILL')
  await until(async () => (await beginning(connectionString)) !== began)

  await until(() => succeeds(database.pool.query(readRow)))
  const { rows } = await database.pool.query(readRow)
  await database.close()
  expect(rows).toEqual([{ answer: 42 }])
})

test('a server that was shut down by hand is started again too', async ({ start }) => {
  const { pid, connectionString } = await start().saw('ready')
  await query(connectionString, createRow)
  const began = await beginning(connectionString)
  process.kill(pid, 'SIGINT')
  await until(async () => (await beginning(connectionString)) !== began)
  expect(await query(connectionString, readRow)).toEqual([{ answer: 42 }])
})

/** When the server started; the time before where it does not answer. */
let lastKnown: string
async function beginning(connectionString: string): Promise<string> {
  try {
    const [row] = await query(connectionString, 'select pg_postmaster_start_time()::text as began')
    lastKnown = String(row?.began)
  } catch {
    // It is down for the moment.
  }
  return lastKnown
}

const succeeds = (work: Promise<unknown>) =>
  work.then(
    () => true,
    () => false,
  )
