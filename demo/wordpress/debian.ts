import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Apt, debianMirror, privateApt } from './apt.ts'
import { replaceLinks } from './replace-links.ts'
import { run } from './run.ts'

/** Newest first. Older ones carry an older WordPress, which is better than none. */
const suites = ['sid', 'trixie', 'bookworm']

/** Of what the package asks for, all that its tree links to, and its theme; not the web server, PHP or MySQL. */
const isPartOfTree = (name: string) => /^(libjs-|libphp-|php-getid3$|wordpress-theme-)/.test(name)

/**
 * Takes WordPress out of Debian's packages, without root and without installing anything, and answers the
 * folder in `work` that holds it.
 * @throws where this machine has no apt, no Debian mirror, or the mirror no WordPress.
 */
export async function unpackDebianWordPress(work: string): Promise<string> {
  const mirror = await debianMirror()
  const failures: Error[] = []
  for (const suite of suites) {
    try {
      return await unpackFrom(join(work, suite), mirror, suite)
    } catch (error) {
      failures.push(error as Error)
    }
  }
  throw new Error(failures.map(({ message }, i) => `${suites[i]}: ${message}`).join('; '), {
    cause: failures,
  })
}

async function unpackFrom(work: string, mirror: string, suite: string): Promise<string> {
  await mkdir(work)
  const apt = await privateApt(work, mirror, suite)
  await apt('apt-get', 'update')
  await apt('apt-get', 'download', 'wordpress', ...(await companions(apt)))
  const unpacked = join(work, 'unpacked')
  for (const file of await readdir(work)) {
    if (file.endsWith('.deb')) {
      await run('dpkg-deb', ['--extract', file, unpacked], { cwd: work, timeoutMs: 60_000 })
    }
  }
  const tree = join(unpacked, 'usr/share/wordpress')
  await replaceLinks(tree, unpacked)
  return tree
}

async function companions(apt: Apt): Promise<string[]> {
  const answer = await apt('apt-cache', 'depends', 'wordpress')
  const named = [...answer.matchAll(/^ +(?:Depends|Recommends): (\S+)$/gm)].map(([, name]) => name ?? '')
  return [...new Set(named.filter(isPartOfTree))]
}
