import { existsSync, readFileSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attachEmbedded } from '../../../src/database/embedded/start.ts'
import { createApiKey, parseSecretKeys } from '../../../src/secrets/keyring.ts'
import { discardDataDir, newDataDir } from '../../support/database/data-folder.ts'
import { commandsOfPage, madeSettings } from './page.ts'
import { type Installed, install } from './shell.ts'

// Every command of docs/operations.md is typed here, in a folder where Galley is installed and runs on its own PostgreSQL;
// or it is named below with why not, and by what else it is tried. A command in neither place fails.

const root = new URL('../../../', import.meta.url)
const key = createApiKey()
const dataDir = newDataDir()
const restoredDir = newDataDir()

let installed: Installed
/** Settings of the service, as systemd reads them. */
let settingsFile: string
let url: string
let stop: () => Promise<void>
/** The secret key of the first start. */
let oldKey: string

beforeAll(async () => {
  installed = await install({ GALLEY_DATA_DIR: dataDir, GALLEY_ADMIN_KEY: key, PORT: '0', LOG_LEVEL: 'warn' })
  settingsFile = join(installed.folder, 'galley.env')
  const serving = await installed.serve('npm start', {})
  url = serving.url
  stop = serving.stop
  const made = await ask('POST', '/v1/sources', { name: 'before the backup', signing_secret: true })
  expect(made.status).toBe(201)
  oldKey = (await readFile(join(dataDir, 'secret-keys'), 'utf8')).split(':')[0] as string
})
afterAll(async () => {
  await stop()
  await installed.remove()
  await discardDataDir(dataDir)
  await discardDataDir(restoredDir)
})

async function ask(method: string, path: string, body?: object, { at = url, as = key } = {}) {
  const response = await fetch(`${at}${path}`, {
    method,
    headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

/** With folders of this test in the place of the page's, and a key that is there. */
const here = (command: string): string =>
  command
    .replace('/var/lib/restored', restoredDir)
    .replace('/backups/', `${installed.folder}/backups/`)
    .replace('/etc/systemd/system/', `${installed.folder}/`)
    .replace('/etc/galley.env', settingsFile)
    .replace('/opt/galley/scripts/start.mjs', installed.program)
    .replace('GALLEY_DATA_DIR=/var/lib/galley', `GALLEY_DATA_DIR=${dataDir}`)
    .replace('runuser -u galley -- ', '')
    .replace('-g galley', `-g ${process.getgid?.()}`)
    .replace('deploy/galley.service', fileURLToPath(new URL('deploy/galley.service', root)))
    .replace('FOLDER', `${installed.folder}/backups/third`)
    .replace('OLD', oldKey)

async function typed(command: string): Promise<string> {
  const { code, out, err } = await installed.type(here(command), { PUBLIC_URL: url })
  expect({ code, err: code === 0 ? '' : err }, command).toEqual({ code: 0, err: '' })
  return out
}

/** To the database of the Galley that runs. */
async function connect(): Promise<Client> {
  const client = new Client({ connectionString: await attachEmbedded(dataDir, pino({ level: 'silent' })) })
  await client.connect()
  return client
}

const credits = async () => (await ask('GET', '/v1/account/credits')).body

/** In the order in which somebody would need them. */
const runs: Record<string, (command: string) => Promise<void>> = {
  'npm start': async () => expect((await ask('GET', '/readyz')).status).toBe(200),
  'npm start -- --new-key': async (command) => {
    const made = /gly_sk_[0-9a-f]{48}/.exec(await typed(command))?.[0] as string
    expect((await ask('GET', '/v1/keys', undefined, { as: made })).status).toBe(200)
  },
  'npm start -- --credits 500': async (command) => {
    await typed(command)
    expect(await credits()).toMatchObject({ unlimited: false, balance: 500 })
  },
  'npm start -- --credits unlimited': async (command) => {
    await typed(command)
    expect(await credits()).toMatchObject({ unlimited: true })
  },
  'npx galley doctor': async (command) => {
    const lines = (await typed(command)).trim().split('\n')
    expect(lines.length).toBeGreaterThan(6)
    expect(lines.filter((line) => !line.startsWith('ok '))).toEqual([])
  },
  'install -m 640 -g galley /dev/null /etc/galley.env': async (command) => {
    await typed(command)
    expect((await stat(settingsFile)).mode & 0o777).toBe(0o640)
  },
  'runuser -u galley -- env GALLEY_DATA_DIR=/var/lib/galley node --env-file=/etc/galley.env /opt/galley/scripts/start.mjs doctor':
    async (command) => {
      // The name of a setting in what it says shows that it has read the file.
      await writeFile(settingsFile, 'GALLEY_FILE_DAYS=never\n')
      const { code, err } = await installed.type(here(command))
      expect([code, err]).toEqual([1, expect.stringContaining('GALLEY_FILE_DAYS')])
      await writeFile(settingsFile, `PUBLIC_URL=${url}\n`)
      expect((await typed(command)).trim().split('\n').length).toBeGreaterThan(6)
    },
  'cp deploy/galley.service /etc/systemd/system/': async (command) => {
    await typed(command)
    const unit = await readFile(join(installed.folder, 'galley.service'), 'utf8')
    const started = /^ExecStart=\/usr\/bin\/env node \/opt\/galley\/(\S+)$/m.exec(unit)?.[1] as string
    expect(existsSync(new URL(started, root)), started).toBe(true)
    expect(unit).toContain('EnvironmentFile=-/etc/galley.env')
  },
  "ALTER ROLE galley SET idle_in_transaction_session_timeout = '30s'": async (command) => {
    const client = await connect()
    await client.query(command)
    const { rows } = await client.query(`SELECT rolconfig FROM pg_roles WHERE rolname = 'galley'`)
    await client.query('ALTER ROLE galley RESET ALL')
    await client.end()
    expect(rows).toEqual([{ rolconfig: ['idle_in_transaction_session_timeout=30s'] }])
  },
  'ALTER TABLE event SET (autovacuum_vacuum_scale_factor = 0.05)': async (command) => {
    const client = await connect()
    await client.query(command)
    const { rows } = await client.query(`SELECT reloptions FROM pg_class WHERE relname = 'event'`)
    await client.end()
    expect(rows).toEqual([{ reloptions: ['autovacuum_vacuum_scale_factor=0.05'] }])
  },
  'npx galley backup /backups/galley': async (command) => {
    await typed(command)
    expect(existsSync(join(installed.folder, 'backups/galley/secret-keys'))).toBe(true)
  },
  'npx galley backup /backups/other --without-keys': async (command) => {
    await typed(command)
    expect(existsSync(join(installed.folder, 'backups/other/manifest.json'))).toBe(true)
    expect(existsSync(join(installed.folder, 'backups/other/secret-keys'))).toBe(false)
  },
  'npx galley backup FOLDER': async (command) => {
    await typed(command)
  },
  'GALLEY_DATA_DIR=/var/lib/restored npx galley restore /backups/galley': async (command) => {
    await typed(command)
    const again = await installed.serve('npm start', { GALLEY_DATA_DIR: restoredDir })
    const sources = await ask('GET', '/v1/sources', undefined, { at: again.url })
    expect(sources).toMatchObject({
      status: 200,
      body: { data: [{ name: 'before the backup', signed: true }] },
    })
    // The secret keys came with it: what they encrypted can be read.
    expect((await fetch(`${again.url}/readyz`)).status).toBe(200)
    await again.stop()
  },
  'npx galley secrets rotate': async (command) => {
    expect(await typed(command)).toContain(`Nothing needs the key "${oldKey}" any more`)
  },
  'npx galley secrets drop OLD': async (command) => {
    await typed(command)
    expect(await readFile(join(dataDir, 'secret-keys'), 'utf8')).not.toContain(`${oldKey}:`)
    expect((await ask('GET', '/readyz')).status).toBe(200)
  },
}

const IN_A_CONTAINER = { why: 'it needs Docker, and root', triedIn: '.ci/compose' }

/** Not typed here: why, and which file of the repository does it instead, in its own words where it has others. */
const elsewhere: Record<string, { why: string; triedIn: string; as?: string }> = {
  'journalctl -fu galley': {
    why: 'it needs a machine that systemd started',
    triedIn: '.ci/machine',
    as: 'journalctl -fu galley',
  },
  'docker compose up -d --build': IN_A_CONTAINER,
  'docker compose exec galley node scripts/start.mjs doctor': IN_A_CONTAINER,
  'docker network inspect galley_default': IN_A_CONTAINER,
  'git clone … /opt/galley && cd /opt/galley && npm ci && npm prune --omit=dev': {
    why: 'it asks a registry for packages',
    triedIn: '.ci/install',
    as: 'git clone … /opt/galley',
  },
  'npm ci': { why: 'it asks a registry for packages', triedIn: '.ci/run' },
  'npm ci --omit=dev': { why: 'it asks a registry for packages', triedIn: '.ci/install' },
  'npm prune --omit=dev': { why: 'it changes the packages of the tests', triedIn: '.ci/install' },
  'systemd-analyze verify': { why: 'it needs systemd', triedIn: '.ci/run' },
  'nginx -t': { why: 'it needs nginx, and root', triedIn: 'test/deploy/nginx.system.test.ts', as: "'-t'" },
  'useradd --system --user-group --home-dir /var/lib/galley --shell /usr/sbin/nologin galley': {
    why: 'it needs root',
    triedIn: 'test/operations/commands/root.system.test.ts',
    as: "typed('useradd'",
  },
  'systemctl enable --now galley': {
    why: 'it needs systemd, and root',
    triedIn: 'test/operations/commands/root.system.test.ts',
    as: "typed('systemctl enable --now'",
  },
  'pg_ctl promote -D /var/lib/postgresql/15/main': {
    why: 'it needs a standby, and root',
    triedIn: 'test/faults/stage/machines.ts',
    as: "/pg_ctl`, ['promote', '-D'",
  },
  'kill -HUP "$(cat /run/postgresql/pgbouncer.pid)"': {
    why: 'it needs a PgBouncer, and root',
    triedIn: 'test/faults/stage/machines.ts',
    as: "child.kill('SIGHUP')",
  },
  'pg_dump --format=custom --file=galley.dump "$DATABASE_URL"': {
    why: 'it needs PostgreSQL’s own programs',
    triedIn: 'test/faults/dump.long.test.ts',
    as: "type('pg_dump'",
  },
  'pg_restore --dbname="$DATABASE_URL" galley.dump': {
    why: 'it needs PostgreSQL’s own programs',
    triedIn: 'test/faults/dump.long.test.ts',
    as: "type('pg_restore'",
  },
  'npm run bench -- size': {
    why: 'it takes minutes',
    triedIn: 'test/bench/benchmarks.slow.test.ts',
    as: '...withDatabase',
  },
  'npm run test:faults': { why: 'it takes an hour, and root', triedIn: 'package.json', as: '"test:faults"' },
  'promtool test rules deploy/prometheus/galley.rules.test.yml': {
    why: 'it needs Debian’s package prometheus',
    triedIn: '.ci/run',
  },
}

test('every command of docs/operations.md is typed by this test, or named with why not', async () => {
  const commands = commandsOfPage()
  expect(commands.length).toBeGreaterThan(20)
  const known = [...Object.keys(runs), ...Object.keys(elsewhere)]
  expect(
    commands.filter((command) => !known.includes(command)),
    'new',
  ).toEqual([])
  expect(
    known.filter((command) => !commands.includes(command)),
    'gone from the page',
  ).toEqual([])
  const untried = Object.entries(elsewhere).filter(([command, entry]) => {
    const file = new URL(entry.triedIn, root)
    return !existsSync(file) || !readFileSync(file, 'utf8').includes(entry.as ?? command)
  })
  expect(untried).toEqual([])
})

test('a command that is new is seen, in a block and in a sentence', () => {
  const text =
    'Type `npx galley dance` or `A=b c d`, not `GALLEY_URL`, `pool_mode = session` or `GET /v1`.\n\n' +
    '```sh\n# one\nls /tmp   # all\n```\n'
  expect(commandsOfPage(text)).toEqual(['ls /tmp', 'npx galley dance', 'A=b c d'])
})

test('they do what the page says, typed one after the other beside a Galley that runs', async () => {
  for (const [command, run] of Object.entries(runs)) await run(command)
})

test('what makes the settings of a container makes such as Galley takes', async () => {
  const commands = madeSettings()
  expect(Object.keys(commands)).toEqual(['GALLEY_SECRET_KEYS', 'GALLEY_ADMIN_KEY'])
  const value = async (name: string) => (await installed.type(`printf %s ${commands[name]}`)).out
  expect(parseSecretKeys(await value('GALLEY_SECRET_KEYS'), 'the page')).toHaveLength(1)
  expect(await value('GALLEY_ADMIN_KEY')).toMatch(/^gly_sk_[0-9a-f]{48}$/)
})
