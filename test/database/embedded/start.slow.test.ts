import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { installedBinaries } from '../../../src/database/embedded/cluster.ts'
import { exists } from '../../../src/database/embedded/folders.ts'
import { type EmbeddedDatabase, startEmbedded } from '../../../src/database/embedded/start.ts'
import { discardDataDir, newDataDir, removeDataDir } from '../../support/database/data-folder.ts'
import { query, test } from '../../support/database/embedded-test.ts'

const log = pino({ level: 'silent' })

describe('a database made in a folder where a Galley was killed while it made one', () => {
  const dataDir = newDataDir()
  let database: EmbeddedDatabase
  beforeAll(async () => {
    await mkdir(join(dataDir, 'postgres.new-999999999-abcdef', 'data'), { recursive: true })
    database = await startEmbedded({ dataDir, log })
  })
  afterAll(async () => {
    await database.stop()
    await removeDataDir(dataDir)
  })

  test('lies there alone', async () => {
    expect(await readdir(dataDir)).toEqual(['postgres'])
  })

  test('has every commit on the disk before it is acknowledged', async () => {
    const settings = await query(
      database.connectionString,
      `select name, setting from pg_settings
       where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums') order by name`,
    )
    expect(settings.map(({ setting }) => setting)).toEqual(['on', 'on', 'on', 'on'])
  })

  test('listens on nothing but a socket that only its owner may enter', async () => {
    const [row] = await query(database.connectionString, 'show listen_addresses')
    const { mode } = await stat(new URL(database.connectionString).searchParams.get('host') ?? '')
    expect(row).toEqual({ listen_addresses: '' })
    expect(mode & 0o777).toBe(0o700)
  })

  test('lies in folders that only their owner may enter, from the data folder down', async () => {
    for (const folder of [dataDir, join(dataDir, 'postgres')])
      expect((await stat(folder)).mode & 0o777, folder).toBe(0o700)
  })

  test('has a random password, readable by its owner alone', async () => {
    const { mode } = await stat(join(dataDir, 'postgres', 'password'))
    expect(new URL(database.connectionString).password).toMatch(/^[0-9a-f]{48}$/)
    expect(mode & 0o777).toBe(0o600)
  })

  test('lets nobody in who guesses', async () => {
    const url = new URL(database.connectionString)
    url.password = 'guess'
    await expect(query(url.href, 'select 1')).rejects.toMatchObject({ code: '28P01' })
  })
})

describe('a database that was stopped', () => {
  test('is there after the next start, at the same address, and closed to everybody else where it was open until then', async ({
    dataDir,
  }) => {
    const first = await startEmbedded({ dataDir, log })
    await query(first.connectionString, 'create table kept as select 42 as answer')
    await first.stop()
    for (const folder of [dataDir, join(dataDir, 'postgres')]) await chmod(folder, 0o755)
    const second = await startEmbedded({ dataDir, log })
    const rows = await query(second.connectionString, 'select answer from kept')
    await second.stop()
    expect(rows).toEqual([{ answer: 42 }])
    expect(second.connectionString).toBe(first.connectionString)
    for (const folder of [dataDir, join(dataDir, 'postgres')])
      expect((await stat(folder)).mode & 0o777, folder).toBe(0o700)
  })

  test('moves with its folder', async ({ dataDir }) => {
    const moved = `${dataDir}-moved`
    await rename(dataDir, moved)
    const { connectionString, stop } = await startEmbedded({ dataDir: moved, log })
    const rows = await query(connectionString, 'select answer from kept')
    await stop()
    await rename(moved, dataDir)
    expect(rows).toEqual([{ answer: 42 }])
  })

  test('starts whatever the environment tells PostgreSQL', async ({ dataDir }) => {
    const before = { ...process.env }
    Object.assign(process.env, {
      PGPORT: '1',
      PGDATA: '/nowhere',
      PGSSLMODE: 'require',
      PGUSER: 'x',
      PGHOST: 'y',
    })
    try {
      const { connectionString, stop } = await startEmbedded({ dataDir, log })
      const rows = await query(connectionString, 'select current_user as name')
      await stop()
      expect(rows).toEqual([{ name: 'galley' }])
    } finally {
      process.env = before
    }
  })

  test('is refused with PostgreSQL’s own last words where it cannot start', async ({ dataDir }) => {
    const { connectionString, stop } = await startEmbedded({ dataDir, log })
    const [row] = await query(connectionString, 'show data_directory')
    await stop()
    await rm(join(String(row?.data_directory), 'global', 'pg_control'))
    await expect(startEmbedded({ dataDir, log })).rejects.toMatchObject({
      code: 'embedded_failed',
      message: expect.stringContaining('pg_control'),
    })
    await removeDataDir(dataDir)
  })
})

test('a data folder works whose name is longer than a socket’s path may be, with what a shell or a list would trip over', async ({
  emptyDir,
}) => {
  const odd = join(emptyDir, `${'long'.repeat(40)} it's "a", $HOME\\ürlaub-✓ \`x\``)
  const { connectionString, stop } = await startEmbedded({ dataDir: odd, log })
  const rows = await query(connectionString, 'select 1 as one')
  const socketDir = new URL(connectionString).searchParams.get('host') ?? ''
  await stop()
  await discardDataDir(odd)
  expect(rows).toEqual([{ one: 1 }])
  expect(await exists(join(socketDir, '.s.PGSQL.5432'))).toBe(false)
})

test('a folder that is a file is refused with what to do', async ({ emptyDir }) => {
  await mkdir(emptyDir)
  await writeFile(join(emptyDir, 'file'), '')
  await expect(startEmbedded({ dataDir: join(emptyDir, 'file'), log })).rejects.toMatchObject({
    code: 'data_folder_unusable',
    message: expect.stringMatching(/cannot keep its database in .*GALLEY_DATA_DIR.*DATABASE_URL/),
  })
})

test('a platform without binaries is told to set DATABASE_URL', () => {
  expect(() => installedBinaries('plan9-mips')).toThrow(
    expect.objectContaining({
      code: 'embedded_unavailable',
      message: expect.stringMatching(/plan9-mips.*DATABASE_URL/),
    }),
  )
})
