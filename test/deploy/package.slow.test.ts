import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { generateSecretKey } from '../../src/secrets/keyring.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)

let folder: string
let fresh: FreshDatabase
let child: ChildProcess | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galley-package-'))
  fresh = await freshDatabase()
})
afterEach(async () => {
  endGroup(child?.pid)
  await fresh.drop()
  await rm(folder, { recursive: true })
})

/** Ends whatever a failed test left of a process group. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

interface Manifest {
  bin: { galley: string }
  dependencies: Record<string, string>
}

/** Puts the packed Galley, and beside it what it depends on, where npm would; no network is asked. */
async function install(): Promise<Manifest> {
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root })
  const packages = join(folder, 'node_modules')
  const galley = join(packages, 'galley')
  await mkdir(galley, { recursive: true })
  const manifest: Manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  await run('tar', ['-xzf', join(folder, `galley-${version}.tgz`), '--strip-components=1', '-C', galley])
  for (const name of Object.keys(manifest.dependencies)) {
    await mkdir(dirname(join(packages, name)), { recursive: true })
    await symlink(join(root, 'node_modules', name), join(packages, name))
  }
  await mkdir(join(packages, '.bin'))
  await symlink(join('..', 'galley', manifest.bin.galley), join(packages, '.bin', 'galley'))
  return manifest
}

/** Starts a Galley, and resolves when it serves. */
async function start(command: string, args: string[], cwd: string) {
  child = spawn(command, args, {
    cwd,
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      DATABASE_URL: fresh.connectionString,
      GALLEY_SECRET_KEYS: generateSecretKey(),
    },
  })
  const ended = once(child, 'exit')
  let said = ''
  const read = (chunk: Buffer) => {
    said += chunk
  }
  child.stdout?.on('data', read)
  child.stderr?.on('data', read)
  const runs = () => child?.exitCode === null && child.signalCode === null
  while (!/serves at/.test(said) && runs())
    await Promise.race([once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data'), ended])
  expect(said).toContain('Galley serves at')
  return { url: /serves at (\S+)/.exec(said)?.[1], ended }
}

test('what npm pack makes starts in an empty folder with its dependencies alone, answers, and stops', async () => {
  await install()
  const work = join(folder, 'work')
  await mkdir(work)
  const { url, ended } = await start(process.execPath, [join(folder, 'node_modules', '.bin', 'galley')], work)
  const alive = await fetch(`${url}/healthz`)
  expect([alive.status, await alive.json()]).toEqual([200, { success: true, status: 'alive' }])
  child?.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})

test('npm start hands a signal on, and its Galley is gone when npm is', async () => {
  const { url, ended } = await start('npm', ['start'], root)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  child?.kill('SIGTERM')
  await ended
  await expect(fetch(`${url}/healthz`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
})
