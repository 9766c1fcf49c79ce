import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../src/database/migrations.ts'
import { contentsOf, fillAwkwardly } from '../operations/awkward.ts'
import { commandsOfPage } from '../operations/commands/page.ts'
import { type Server, startServer } from './stage/machines.ts'

// PostgreSQL's own dump, as docs/operations.md has it for a large database. Needs root and `postgresql-15`.

let server: Server
let folder: string
beforeAll(async () => {
  server = await startServer()
  folder = await mkdtemp(join(tmpdir(), 'galley-dump-'))
})
afterAll(async () => {
  await server.remove()
  await rm(folder, { recursive: true })
})

const log = pino({ level: 'silent' })

function type(program: string, databaseUrl: string): void {
  const command = commandsOfPage().find((line) => line.startsWith(`${program} `)) as string
  const PATH = `/usr/lib/postgresql/15/bin:${process.env.PATH}`
  execFileSync('sh', ['-c', command], { cwd: folder, env: { PATH, DATABASE_URL: databaseUrl } })
}

test('what pg_dump has written pg_restore brings back, every row and job', async () => {
  const { connectionString } = server
  await migrate({ connectionString, log })
  const from = new Pool({ connectionString, max: 1 })
  await fillAwkwardly(from)
  type('pg_dump', connectionString)
  await from.query('CREATE DATABASE other')
  const other = connectionString.replace(/postgres$/, 'other')
  type('pg_restore', other)
  const into = new Pool({ connectionString: other, max: 1 })
  expect(await contentsOf(into)).toEqual(await contentsOf(from))
  expect(await migrate({ connectionString: other, log })).toEqual([])
  await Promise.all([from.end(), into.end()])
})
