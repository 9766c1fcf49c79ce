import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { freePort } from '../../../demo/processes.ts'

/** Debian's: `apt-get install postgresql-15 pgbouncer nginx`. */
const POSTGRES = '/usr/lib/postgresql/15/bin'

const run = promisify(execFile)

/** Who may run PostgreSQL and PgBouncer: neither does as root. */
const user = (() => {
  const number = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: number('-u'), gid: number('-g'), cwd: tmpdir() }
})()

function newFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `galley-${name}-`))
  chownSync(folder, user.uid, user.gid)
  return folder
}

/** A program of its own process group, so that nothing of it outlives a kill. */
function start(command: string, args: string[], as: object = user): ChildProcess {
  return spawn(command, args, { ...as, detached: true, stdio: ['ignore', 'ignore', 'pipe'], cwd: tmpdir() })
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  process.kill(-(child.pid as number), signal)
  await ended
}

async function answers(connectionString: string): Promise<void> {
  for (let look = 0; ; look += 1) {
    const client = new Client({ connectionString })
    // Of a server that is killed.
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.query('SELECT 1')
      return
    } catch (error) {
      if (look === 300) throw error
      await wait(100)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}

/** One PostgreSQL 15 on a port of this machine. */
export interface Server {
  port: number
  connectionString: string
  /** At once and without a word, as when its machine loses power. */
  kill(): Promise<void>
  /** Makes a standby the primary. */
  promote(): Promise<void>
  remove(): Promise<void>
}

/** @param primary whose standby it is to be; the primary then waits for it with every commit */
export async function startServer(primary?: Server): Promise<Server> {
  const folder = newFolder('postgres')
  const data = join(folder, 'data')
  const port = await freePort()
  const connectionString = `postgres://postgres@127.0.0.1:${port}/postgres`
  if (primary === undefined) {
    await run(`${POSTGRES}/initdb`, ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync'], user)
    writeFileSync(
      join(data, 'pg_hba.conf'),
      'host all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n',
    )
  } else {
    const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres']
    await run(`${POSTGRES}/pg_basebackup`, ['-D', data, ...from, '-R', '-X', 'stream', '-c', 'fast'], user)
  }
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    max_connections: 150,
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = start(`${POSTGRES}/postgres`, ['-D', data, ...options])
  await answers(connectionString)
  return {
    port,
    connectionString,
    kill: () => end(child, 'SIGKILL'),
    async promote() {
      await run(`${POSTGRES}/pg_ctl`, ['promote', '-D', data, '-w'], user)
    },
    async remove() {
      await end(child, 'SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** From now on every commit on `primary` waits until its standby has it on disk. */
export async function waitForStandby(primary: Server): Promise<void> {
  const client = new Client({ connectionString: primary.connectionString })
  await client.connect()
  await client.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await client.query('SELECT pg_reload_conf()')
  for (let look = 0; look < 100; look += 1) {
    const { rows } = await client.query(`SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`)
    if (rows.length > 0) break
    if (look === 99) throw new Error('the standby is not synchronous')
    await wait(100)
  }
  await client.end()
}

/** A PgBouncer in front of a server, with one address whichever server that is. */
export interface Pooler {
  connectionString: string
  /** Whoever connects from now on gets to that server. */
  pointTo(server: Server): Promise<void>
  remove(): Promise<void>
}

export async function startPooler(
  server: Server,
  mode: 'session' | 'transaction' = 'session',
): Promise<Pooler> {
  const folder = newFolder('pgbouncer')
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const write = (to: Server) =>
    writeFileSync(
      file,
      `[databases]
* = host=127.0.0.1 port=${to.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 120
max_client_conn = 400
server_login_retry = 1
ignore_startup_parameters = extra_float_digits,idle_in_transaction_session_timeout
`,
    )
  write(server)
  const child = start('/usr/sbin/pgbouncer', [file])
  const connectionString = `postgres://postgres@127.0.0.1:${port}/postgres`
  await answers(connectionString)
  return {
    connectionString,
    async pointTo(to) {
      write(to)
      child.kill('SIGHUP')
      await answers(connectionString)
    },
    async remove() {
      await end(child, 'SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy())
}

/** The nginx of deploy/nginx.conf, without its TLS, in front of several web processes. */
export async function startBalancer(
  ports: readonly number[],
): Promise<{ url: string; remove(): Promise<void> }> {
  const folder = newFolder('nginx')
  const port = await freePort()
  const ours = readFileSync(new URL('../../../deploy/nginx.conf', import.meta.url), 'utf8')
  const servers = ours
    .replace('  server 127.0.0.1:8080;\n', ports.map((one) => `  server 127.0.0.1:${one};\n`).join(''))
    // The first of its servers only sends on to the second, with TLS.
    .replace(/server \{\s+listen 80;[\s\S]*?\n\}\n/, '')
    .replace(/^ *(ssl_.*|listen \[::\]:443.*)\n/gm, '')
    .replace('listen 443 ssl http2', `listen 127.0.0.1:${port}`)
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const places = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n')
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log ${folder}/log;\nevents {}\nhttp {\n${places}\naccess_log off;\n${servers}}\n`,
  )
  const child = start('nginx', ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'log')], {})
  const url = `http://127.0.0.1:${port}`
  // Only whether it listens: a request before there is anybody behind it, and nginx asks nobody for ten seconds.
  for (let look = 0; look < 100 && !(await listens(port)); look += 1) await wait(50)
  return {
    url,
    async remove() {
      await end(child, 'SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
