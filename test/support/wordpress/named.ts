import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WordPress } from '../../../demo/wordpress/index.ts'

/**
 * The running WordPress that the environment names, or undefined: `GALLEY_TEST_WORDPRESS` holds
 * `{"url", "version", "users"}` or is the path of a file that does; `GALLEY_TEST_WORDPRESS_ROOT` is the folder
 * of its files.
 */
export function namedWordPress(env: NodeJS.ProcessEnv = process.env): WordPress | undefined {
  const { GALLEY_TEST_WORDPRESS: named, GALLEY_TEST_WORDPRESS_ROOT: root } = env
  if (!named) return undefined
  if (!root)
    throw new Error('GALLEY_TEST_WORDPRESS needs GALLEY_TEST_WORDPRESS_ROOT, the folder of its files')
  const description = JSON.parse(named.startsWith('{') ? named : readFileSync(named, 'utf8'))
  return { ...description, root, muPlugins: join(root, 'wp-content/mu-plugins') }
}
