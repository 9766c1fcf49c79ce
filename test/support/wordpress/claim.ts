import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * One of `things` that no other process has, the same one every time. vitest's own number of a worker cannot tell two
 * of them apart: where the last file of a project ran in worker 1, both workers of the next project are worker 1
 * (4.1.12 sets that number free after the next project took it).
 * @param folder Holds a file for each claim; empty in the beginning.
 */
export function claim<Thing>(
  things: readonly Thing[],
  folder: string,
  owner = process.pid,
): Thing | undefined {
  return things.find((_, index) => take(join(folder, String(index)), String(owner)))
}

function take(file: string, owner: string): boolean {
  try {
    writeFileSync(file, owner, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return readFileSync(file, 'utf8') === owner
  }
}
