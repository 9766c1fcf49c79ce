import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What every run lays over the kept tree, which itself stays as it was unpacked and serves many runs at once. */
export const mountPoints = {
  config: 'wp-config.php',
  plugins: 'wp-content/mu-plugins',
  database: 'wp-content/database',
  uploads: 'wp-content/uploads',
} as const

/** Makes the places to mount at, so that no run has to write into the tree. */
export async function addMountPoints(tree: string): Promise<void> {
  const { config, ...folders } = mountPoints
  for (const folder of Object.values(folders)) await mkdir(join(tree, folder), { recursive: true })
  await writeFile(join(tree, config), '')
}
