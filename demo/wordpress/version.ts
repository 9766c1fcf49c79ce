import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The version that a WordPress tree says it is, `7.1.4`. */
export async function versionOf(tree: string): Promise<string> {
  const source = await readFile(join(tree, 'wp-includes', 'version.php'), 'utf8')
  const version = /^\$wp_version = '([^']+)';/m.exec(source)?.[1]
  if (!version) throw new Error(`${tree}/wp-includes/version.php names no version`)
  return version
}
