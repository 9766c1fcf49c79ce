import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of the first of these programs that is installed, as a shell would find it. */
export function findProgram(...names: string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

/** The Chromium that `GALLEY_TEST_CHROMIUM` names, or one that is installed. */
export const findChromium = (): string | undefined =>
  process.env.GALLEY_TEST_CHROMIUM ?? findProgram('chromium', 'chromium-browser', 'google-chrome')

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
