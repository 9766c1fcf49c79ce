import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { generateSecretKey } from '../src/secrets/keyring.ts'
import { bundleProgram } from './faults/stage/child.ts'
import { discardDataDir, newDataDir } from './support/database/data-folder.ts'
import { type FreshDatabase, freshDatabase } from './support/database/fresh-database.ts'

let program: string
beforeAll(async () => {
  program = await bundleProgram('src/main.ts')
})

let folder: string
let fresh: FreshDatabase
let running: ChildProcess[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galley-main-'))
  fresh = await freshDatabase()
  running = []
})
afterEach(async () => {
  for (const child of running) if (child.exitCode === null) child.kill('SIGKILL')
  await fresh.drop()
  await rm(folder, { recursive: true })
})

interface Ended {
  code: number | null
  out: string
  err: string
}

/** The process as a user starts it: in a folder, with a command line and settings. */
function galley(args: string[], settings: Record<string, string> = {}) {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    PORT: '0',
    LOG_LEVEL: 'warn',
    DATABASE_URL: fresh.connectionString,
    GALLEY_SECRET_KEYS: secretKeys,
    ...settings,
  }
  const child = spawn(process.execPath, [program, ...args], { cwd: folder, env })
  running.push(child)
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const ended: Promise<Ended> = once(child, 'close').then(([code]) => ({ code, out, err }))
  return {
    ended,
    /** Resolves with what it wrote, once that fits; with all of it where it ended before. */
    async says(pattern: RegExp): Promise<string> {
      while (!pattern.test(out) && child.exitCode === null)
        await Promise.race([once(child.stdout, 'data'), once(child, 'close')])
      return out + err
    },
    /** Closes the pipe that it writes to. */
    deaf: () => child.stdout.destroy(),
    async stop(): Promise<Ended> {
      child.kill('SIGTERM')
      return ended
    },
  }
}
const secretKeys = generateSecretKey()

const keyIn = (text: string): string | undefined => /gly_sk_[0-9a-f]{48}/.exec(text)?.[0]
const urlIn = (text: string): string => /serves at (\S+)/.exec(text)?.[1] as string
const statusWith = async (url: string, key: string | undefined): Promise<number> =>
  (await fetch(`${url}/v1/keys`, { headers: { authorization: `Bearer ${key}` } })).status

// What each command says of itself, and of a mistake, test/cli/program.test.ts asks.
test('--help, --version, a mistake and a command are answered, and start nothing', async () => {
  const [help, version, mistake, gone] = await Promise.all([
    galley(['--help']).ended,
    galley(['--version']).ended,
    galley(['--new-keys']).ended,
    galley(['render', 'gone.json'], { DATABASE_URL: 'none' }).ended,
  ])
  expect(help).toMatchObject({ code: 0, err: '', out: expect.stringContaining('npm start -- --new-key') })
  expect(version).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  expect(mistake).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining("Unknown option '--new-keys'"),
  })
  expect(gone).toMatchObject({ code: 4, out: '', err: 'The file gone.json is not there.\n' })
}, 180_000)

test('a start whose port is taken, or whose output nobody takes, makes no key, so that the next one shows one', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  const failed = await galley([], { PORT: String(port) }).ended
  taken.close()
  expect(failed).toMatchObject({
    code: 1,
    err: expect.stringContaining(`cannot listen on 127.0.0.1:${port}`),
  })
  expect(keyIn(failed.out)).toBeUndefined()

  const closed = galley([])
  closed.deaf()
  expect(await closed.ended).toMatchObject({ code: 1, err: expect.stringContaining('could not be shown') })
  const next = galley(['serve'])
  const text = await next.says(/serves at/)
  expect(text).not.toContain('Nobody has used')
  expect(await statusWith(urlIn(text), keyIn(text))).toBe(200)
  await next.stop()
}, 180_000)

test('a worker that starts first shows no key, and the web process after it does', async () => {
  const worker = galley([], { GALLEY_ROLE: 'worker', LOG_LEVEL: 'info', GALLEY_METRICS_ADDRESS: '0' })
  const said = await worker.says(/metrics are at/)
  expect(keyIn(said)).toBeUndefined()
  const web = galley([], { GALLEY_ROLE: 'web' })
  const text = await web.says(/serves at/)
  expect(await statusWith(urlIn(text), keyIn(text))).toBe(200)
  await Promise.all([worker.stop(), web.stop()])
}, 180_000)

// Beside a Galley that runs, test/operations/commands types it.
test('--new-key makes a key where no Galley runs yet', async () => {
  const dataDir = newDataDir()
  const own = { DATABASE_URL: '', GALLEY_DATA_DIR: dataDir }
  try {
    const made = await galley(['--new-key'], own).ended
    expect(made).toMatchObject({ code: 0, err: '' })
    const serving = galley([], own)
    const url = urlIn(await serving.says(/serves at/))
    expect(await statusWith(url, keyIn(made.out))).toBe(200)
    await serving.stop()
  } finally {
    for (const child of running) if (child.exitCode === null) child.kill('SIGKILL')
    await discardDataDir(dataDir)
  }
}, 180_000)

test('npm start without packages, or without what is built from them, says what to do', async () => {
  const start = join(folder, 'scripts/start.mjs')
  await cp(fileURLToPath(new URL('../scripts/start.mjs', import.meta.url)), start)
  const said = async (): Promise<Ended> => {
    const child = spawn(process.execPath, [start])
    let err = ''
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    const [code] = await once(child, 'close')
    return { code, out: '', err }
  }
  expect(await said()).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^Galley is not installed.*npm ci\n$/),
  })
  await mkdir(join(folder, 'node_modules/express'), { recursive: true })
  expect(await said()).toMatchObject({ code: 1, err: expect.stringMatching(/^Galley is not built.*npm ci/) })
})
