import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './run.ts'

/** Calls `apt-get` or `apt-cache` with arguments, and answers what it prints. */
export type Apt = (tool: 'apt-get' | 'apt-cache', ...args: string[]) => Promise<string>

/** The Debian mirror that this machine itself uses, as apt names it: with a trailing slash. */
export async function debianMirror(): Promise<string> {
  const targets = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'], {
    timeoutMs: 10_000,
  })
  const mirror = targets.split('\n').find((uri) => uri.endsWith('/debian/'))
  if (!mirror) throw new Error('apt knows no Debian mirror on this machine')
  return mirror
}

/**
 * An apt of our own for one suite: its lists and locks lie in `state`, so that it needs no rights on the
 * machine and leaves nothing behind on it. Signatures are checked as ever.
 */
export async function privateApt(state: string, mirror: string, suite: string): Promise<Apt> {
  const lists = join(state, 'lists')
  const cache = join(state, 'cache')
  const sources = join(state, 'sources.list')
  await mkdir(join(lists, 'partial'), { recursive: true })
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true })
  await writeFile(sources, `deb ${mirror} ${suite} main\n`)
  const options = {
    'Dir::Etc::sourcelist': sources,
    'Dir::Etc::sourceparts': '-',
    'Dir::State::Lists': lists,
    'Dir::Cache': cache,
    'Acquire::Languages': 'none',
    'Acquire::Retries': '3',
    // as root, apt would fetch as user _apt, who may not write below a home of mode 700
    'APT::Sandbox::User': 'root',
  }
  const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  return (tool, ...args) => run(tool, [...flags, '-q', ...args], { cwd: state, timeoutMs: 180_000 })
}
