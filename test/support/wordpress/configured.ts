import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WordPress } from '../../../demo/wordpress/index.ts'

const words = (list: string | undefined): string[] => list?.split(/\s+/).filter(Boolean) ?? []

/**
 * The running WordPresses that the environment names, none where it names none: `GALLEY_TEST_WORDPRESS` holds paths,
 * separated by spaces, of files with `{"url", "version", "users"}`, or such an object itself;
 * `GALLEY_TEST_WORDPRESS_ROOT` holds the folders of their files, in the same order.
 * @throws Error where there is not one folder for each
 */
export function configuredWordPresses(env: NodeJS.ProcessEnv = process.env): WordPress[] {
  const named = env.GALLEY_TEST_WORDPRESS?.trim() ?? ''
  const descriptions = named.startsWith('{')
    ? [named]
    : words(named).map((file) => readFileSync(file, 'utf8'))
  const roots = words(env.GALLEY_TEST_WORDPRESS_ROOT)
  if (descriptions.length > 0 && roots.length !== descriptions.length)
    throw new Error(
      `GALLEY_TEST_WORDPRESS names ${descriptions.length}, so GALLEY_TEST_WORDPRESS_ROOT must name as many folders ` +
        `with their files; it names ${roots.length}`,
    )
  return descriptions.map((description, number) => {
    const root = roots[number] as string
    return { ...JSON.parse(description), root, muPlugins: join(root, 'wp-content/mu-plugins') }
  })
}
