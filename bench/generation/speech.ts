import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundleGalley } from '../../scripts/bundle-galley.ts'

/**
 * Has the longest text that there may be, 100,000 characters, spoken and encoded in a process of its own, from answers that
 * lie on disk.
 *
 * @param parts of a second, for each second of speech, by format: what an encoder needs does not depend on how long it works
 * @returns megabytes by which the process grew at most, of the format that took the most
 */
export async function memoryOfSpeech(folder: string, parts: Record<string, string>): Promise<number> {
  const place = join(folder, 'speech')
  await mkdir(place)
  const program = await bundleGalley('test/generation/speech/long-text.ts', place)
  let most = 0
  for (const [format, part] of Object.entries(parts)) {
    const { stdout } = await promisify(execFile)(process.execPath, [program, place, format, part])
    most = Math.max(most, (JSON.parse(stdout) as { grewBy: number }).grewBy)
  }
  return most / 1e6
}
