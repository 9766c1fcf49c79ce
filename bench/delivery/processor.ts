import { readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Pool } from 'pg'
import { startWordPress, type WordPress } from '../../demo/wordpress/index.ts'
import { configuredWordPresses } from '../../test/support/wordpress/configured.ts'

/** Milliseconds of processor time that the processes took until now; null where they are not found. */
export type ProcessorClock = () => number | null

interface Process {
  pid: number
  parent: number
  name: string
  /** Its own, and that of its children that have ended. */
  milliseconds: number
}

/** Linux counts in hundredths of a second wherever Node runs. */
const TICK_MS = 10

/** Of a Galley in a process of its own, and of the PostgreSQL it works with: all of its processes. */
export async function galleyClock(galleyPid: number, pool: Pool): Promise<ProcessorClock> {
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const postmaster = processes().find(({ pid }) => pid === rows[0]?.pid)?.parent
  return postmaster === undefined ? () => null : () => timeOf([galleyPid, postmaster])
}

/** What serves a WordPress: web servers, PHP and databases by the names of their programs. */
const SERVES = /^(nginx|apache2|httpd|caddy|lighttpd|lsphp|php-fpm|php-cgi|mariadbd|mysqld)/

/**
 * Of what serves the WordPress whose files are in this folder: of the web servers, PHPs and databases of this machine those
 * that were started with something beside that folder, or else all of them.
 */
export function wordPressClock(root: string | undefined): ProcessorClock {
  const all = root === undefined ? [] : processes().filter(({ name }) => SERVES.test(name))
  const beside = all.filter(({ pid }) => commandOf(pid).includes(`${dirname(root ?? '')}/`))
  const pids = (beside.length > 0 ? beside : all).map(({ pid }) => pid)
  return pids.length === 0 ? () => null : () => timeOf(pids)
}

/** Of these processes and all below them. */
function timeOf(roots: readonly number[]): number {
  const all = processes()
  const counted = new Set(roots)
  // A child may stand before its parent, where the numbers of processes have begun anew.
  for (let size = 0; size < counted.size; ) {
    size = counted.size
    for (const { pid, parent } of all) if (counted.has(parent)) counted.add(pid)
  }
  return all.filter(({ pid }) => counted.has(pid)).reduce((sum, { milliseconds }) => sum + milliseconds, 0)
}

/** All processes of a Linux; none elsewhere. */
function processes(): Process[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)))
}

/** `/proc/PID/stat`: pid (name) state ppid …, whose name may hold spaces and parentheses; none where it has just ended. */
function readProcess(pid: number): Process[] {
  const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(textOf(`/proc/${pid}/stat`)) ?? []
  const fields = rest.split(' ')
  if (name === '') return []
  // utime, stime, cutime, cstime: the fields 14 to 17, of which this begins with the third
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return [{ pid, parent: Number(fields[1]), name, milliseconds: ticks * TICK_MS }]
}

const commandOf = (pid: number): string => textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return ''
    throw error
  }
}

/** The WordPress that posts go to. */
export interface BenchWordPress {
  url: string
  version: string
  /** In words, for whoever reads the figures. */
  kind: string
  /** Folder of its files, of one that real servers serve. */
  root?: string
  username: string
  applicationPassword: string
}

/** The one that the tests' variables name, or else a new one in WASM, which is much slower than a real server. */
export async function withWordPress<T>(work: (wordpress: BenchWordPress) => Promise<T>): Promise<T> {
  const [named] = configuredWordPresses()
  if (named) return work({ ...asEditor(named, 'the one that GALLEY_TEST_WORDPRESS names'), root: named.root })
  const started = await startWordPress({ log: console.log })
  try {
    return await work(asEditor(started, 'in WASM with SQLite'))
  } finally {
    await started.stop()
  }
}

/** An editor may make terms and publish, and no more is needed. */
export function asEditor(
  { url, version, users }: Pick<WordPress, 'url' | 'version' | 'users'>,
  kind: string,
): BenchWordPress {
  const { login, applicationPassword } = users.editor
  return { url, version, kind, username: login, applicationPassword }
}
